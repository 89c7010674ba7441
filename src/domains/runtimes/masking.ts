import { createHmac, randomBytes } from 'node:crypto'
import type { Pod } from '../../kube/index.ts'
import type { ClassRuntime } from './class-runtime.ts'

/** Shorter values are hidden only where they are the whole value: as part of a text they would hide half of it. */
const SHORTEST = 4
/** Set by the platform, and no function may set them: nothing in them is anybody's secret. */
const PLATFORM = /^(?:PORT$|(?:ODGM|OPRC|OTEL|OAAS)_)/

const SALT = randomBytes(32)

/** Two marks are equal when the values are, and tell nothing else about them. */
const mark = (value: string): string => `(hidden ${createHmac('sha256', SALT).update(value).digest('hex').slice(0, 8)})`

/** Hides what the functions of a runtime are configured with, in everything that leaves the process other than to the cluster. */
export interface Hiding {
  readonly text: (text: string) => string
  /** A copy fit to be kept and shown. */
  readonly json: (value: unknown) => unknown
}

function hidingValues(values: readonly string[]): (text: string) => string {
  const secrets = [...new Set(values)]
    .filter((value) => value.length >= SHORTEST)
    .toSorted((a, b) => b.length - a.length)
  return (from) =>
    secrets.reduce(
      (hidden, secret) => (hidden.includes(secret) ? hidden.replaceAll(secret, mark(secret)) : hidden),
      from,
    )
}

/**
 * A pod's status without what the pod itself was given: a container that dies may repeat it, long after the spec of its class has
 * changed.
 */
export function statusHidden({ spec, status }: Pod): Pod['status'] {
  const given = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])]
    .flatMap(({ env = [] }) => env)
    .flatMap(({ name, value }) => (value === undefined || PLATFORM.test(name) ? [] : [value]))
  const text = hidingValues(given)
  const inMessages = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inMessages)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        name === 'message' && typeof inner === 'string' ? text(inner) : inMessages(inner),
      ]),
    )
  }
  return given.length === 0 ? status : (inMessages(status) as Pod['status'])
}

export function hiding({ spec }: Pick<ClassRuntime, 'spec'>): Hiding {
  const text = hidingValues((spec.functions ?? []).flatMap(({ config = {} }) => Object.values(config)))

  const json = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map(json)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, field(name, inner)]))
  }
  const field = (name: string, value: unknown): unknown => {
    if (name === 'env' && Array.isArray(value)) return value.map(variable)
    if (name === 'config' && isTexts(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, secret]) => [key, mark(secret)]))
    }
    return json(value)
  }
  const variable = (one: unknown): unknown => {
    const { name, value, ...rest } = one as { readonly name?: string; readonly value?: string }
    if (name === undefined || value === undefined || PLATFORM.test(name)) return json(one)
    return { name, value: mark(value), ...rest }
  }
  return { text, json }
}

const isTexts = (value: unknown): value is Record<string, string> =>
  typeof value === 'object' && value !== null && Object.values(value).every((inner) => typeof inner === 'string')
