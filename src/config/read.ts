import { inspect } from 'node:util'
import { defineFailures, nearest, type FailureError } from '../kernel/index.ts'
import type { Section, ValuesOf } from './section.ts'
import { Secret, type Variable } from './variable.ts'

/** The environment of a process. */
export type Env = Readonly<Record<string, string | undefined>>

/** The configuration of one command: the values of the sections that it reads. */
export interface Config {
  readonly sections: readonly Section[]
  /** The values of one section. Throws if the command does not read it. */
  of<S extends Section>(section: S): ValuesOf<S>
  /** Whether the environment sets the variable; otherwise its value is a default. */
  isSet(variable: Variable<unknown>): boolean
}

export interface ReadOptions {
  /** Those that the command reads. Errors in other sections are not its concern. */
  readonly sections: readonly Section[]
  /** All that exist, to recognise a misspelt variable. @default sections */
  readonly known?: readonly Section[]
  /** Values of unset variables that differ from the documented default, by the names of the variables. */
  readonly defaults?: Env
}

const raise = defineFailures({
  ConfigInvalid: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Correct the variables that are named; docs/reference/configuration.md lists all there are.',
  },
})

/** A failure that lists everything that is wrong with a configuration. */
export const invalid = (problems: readonly string[]): FailureError =>
  raise.ConfigInvalid(`failed to read the configuration:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)

/** Reads the environment once. All problems are reported together. An empty value counts as unset. */
export function readConfig(env: Env, { sections, known = sections, defaults = {} }: ReadOptions): Config {
  const problems = unknownVariables(env, sections, known)
  const values = new Map<Section, Record<string, unknown>>()
  for (const one of sections) {
    const own: Record<string, unknown> = {}
    for (const [name, variable] of Object.entries(one.variables)) {
      const text = written(env, variable) ?? defaults[variable.name] ?? variable.fallback
      if (text === undefined) continue
      try {
        own[name] = variable.read(text)
      } catch (error) {
        const shown = variable.secret ? 'the value (not shown)' : JSON.stringify(text)
        problems.push(`${variable.name}: ${shown} ${(error as Error).message}`)
      }
    }
    values.set(one, Object.freeze(own))
  }
  if (problems.length > 0) throw invalid(problems)
  const config: Config = {
    sections,
    of<S extends Section>(section: S) {
      const own = values.get(section)
      if (own === undefined)
        throw new Error(`failed to read "${section.title}": not among the sections of this command`)
      return own as ValuesOf<S>
    },
    isSet: (variable) => written(env, variable) !== undefined,
  }
  const conflicts = sections.flatMap(
    (one) => one.check?.(config.of(one), config).filter((text) => text !== false) ?? [],
  )
  if (conflicts.length > 0) throw invalid(conflicts)
  const shown = () => Object.fromEntries(sections.map((one) => [one.title, values.get(one)]))
  return Object.freeze({ ...config, toJSON: shown, [inspect.custom]: shown })
}

const written = (env: Env, { name }: Variable<unknown>): string | undefined => env[name]?.trim() || undefined

/** Variables of the tools around the program, which this one does not read. */
const FOREIGN = ['CAELUS_TEST_', 'CAELUS_TOOLS_']

function unknownVariables(env: Env, sections: readonly Section[], all: readonly Section[]): string[] {
  const known = all.flatMap(({ variables }) => Object.values(variables).map(({ name }) => name))
  const prefixes = ['CAELUS_', ...sections.flatMap(({ prefix }) => prefix ?? [])]
  const beginsWith = (name: string, words: readonly string[]): boolean => words.some((word) => name.startsWith(word))
  return Object.keys(env)
    .filter((name) => beginsWith(name, prefixes) && !known.includes(name) && !beginsWith(name, FOREIGN))
    .map((name) => {
      const near = nearest(name, known)
      const hint = near === undefined ? '`caelus config` lists all there are' : `did you mean ${near}?`
      return `${name}: there is no such variable; ${hint}`
    })
}

export interface EffectiveValue {
  readonly name: string
  /** Masked when it is a secret; null when there is none. */
  readonly value: string | null
  readonly source: 'default' | 'environment'
  readonly secret: boolean
  readonly description: string
}

/** The values in force, without secrets. For `caelus config` and `GET /api/v1/config`. */
export const effectiveValues = (config: Config, env: Env): EffectiveValue[] =>
  config.sections.flatMap(({ variables }) =>
    Object.values(variables).map((variable) => {
      const { name, secret, fallback, doc } = variable
      const text = written(env, variable)
      const shown = text !== undefined && (secret ? '[redacted]' : withoutCredentials(text))
      return {
        name,
        value: shown || (fallback ?? null),
        source: shown === false ? 'default' : 'environment',
        secret,
        description: doc,
      }
    }),
  )

const withoutCredentials = (value: string): string => value.replace(/(\w+:\/\/)[^/@\s]+@/, '$1[redacted]@')

/** The values that logs and responses must mask: secrets, and passwords in URLs. */
export function secretValues(config: Config): string[] {
  const values = config.sections.flatMap((one) => Object.values<unknown>(config.of(one)))
  const secrets = values.filter((value) => value instanceof Secret).map((value) => value.reveal())
  const urls = [...secrets, ...values].filter((value) => typeof value === 'string' && URL.canParse(value)) as string[]
  const passwords = urls.map((text) => new URL(text).password).filter((password) => password !== '')
  const more = config.sections.flatMap((one) => one.secrets?.(config.of(one)) ?? [])
  return [...secrets, ...passwords, ...passwords.map(decodeURIComponent), ...more.filter((text) => text !== '')]
}
