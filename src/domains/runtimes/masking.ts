import { createHmac, randomBytes } from 'node:crypto'
import { hideWith, masker, type Hide, type Masker } from '../../kernel/index.ts'
import type { Pod } from '../../kube/index.ts'
import type { ClassRuntime } from './class-runtime.ts'

/** Set by the platform, and no function may set them: their values are no secrets. */
const PLATFORM = /^(?:PORT$|(?:ODGM|OPRC|OTEL|OAAS)_)/

const SALT = randomBytes(32)

/** Equal values have equal marks, so that a reader sees what changed. A mark says nothing else about its value. */
const mark = (value: string): string => `(hidden ${createHmac('sha256', SALT).update(value).digest('hex').slice(0, 8)})`

/** Masks the configuration of a runtime's functions in everything that leaves the process other than to Kubernetes. */
export interface Hiding {
  readonly text: Masker
  /** For records of decisions. Marks of `env` and `config` do not change a decision, which compares and copies them only. */
  readonly hide: Hide
}

/**
 * A pod's status without the values of the pod's own environment. A container that dies may print them, long after the
 * spec of its class has changed.
 */
export function statusHidden({ spec, status }: Pod): Pod['status'] {
  const given = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])]
    .flatMap(({ env = [] }) => env)
    .flatMap(({ name, value }) => (value === undefined || PLATFORM.test(name) ? [] : [value]))
  const { excerpt } = masker(given, { mask: mark })
  const inMessages = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inMessages)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        // The kubelet keeps the last bytes of a message, which may begin inside of a value.
        name === 'message' && typeof inner === 'string' ? excerpt(inner) : inMessages(inner),
      ]),
    )
  }
  return given.length === 0 ? status : (inMessages(status) as Pod['status'])
}

export function hiding({ spec }: Pick<ClassRuntime, 'spec'>): Hiding {
  const values = (spec.functions ?? []).flatMap(({ config = {} }) => Object.values(config))
  const text = masker(values, { mask: mark })
  return { text, hide: hideWith(text, withMarks) }
}

/** Marks by place, whatever the value: `env` of containers and `config` of functions. */
function withMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMarks)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fieldWithMarks(name, inner)]))
}

function fieldWithMarks(name: string, value: unknown): unknown {
  if (name === 'env' && Array.isArray(value)) return value.map(variableWithMark)
  if (name === 'config' && isTexts(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, secret]) => [key, mark(secret)]))
  }
  return withMarks(value)
}

function variableWithMark(variable: unknown): unknown {
  const { name, value, ...rest } = variable as { readonly name?: string; readonly value?: string }
  if (name === undefined || value === undefined || PLATFORM.test(name)) return withMarks(variable)
  return { name, value: mark(value), ...rest }
}

const isTexts = (value: unknown): value is Record<string, string> =>
  typeof value === 'object' && value !== null && Object.values(value).every((inner) => typeof inner === 'string')
