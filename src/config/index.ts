import { keysIn } from './kinds.ts'
import { Secret, type Variable } from './variable.ts'
import { VARIABLES } from './variables.ts'
import { defineFailures, nearest, type FailureError } from '../kernel/index.ts'

export { VARIABLES } from './variables.ts'

export type ConfigName = keyof typeof VARIABLES
type ValueOf<V> = V extends Variable<infer T> ? T : never
type Values = { readonly [N in ConfigName]: ValueOf<(typeof VARIABLES)[N]> }

export interface Config extends Values {
  /** Which values are set explicitly; the others are defaults. */
  readonly isSet: ReadonlySet<ConfigName>
}

type Env = Readonly<Record<string, string | undefined>>

const raise = defineFailures({
  ConfigInvalid: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Correct the variables that are named; docs/reference/configuration.md lists all there are.',
  },
})

/** Refuses a configuration with everything that is wrong about it. */
export const invalid = (problems: readonly string[]): FailureError =>
  raise.ConfigInvalid(`failed to read the configuration:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)

const NAMES = Object.keys(VARIABLES) as ConfigName[]

/** Variables of the tools around the program, so that a typing error in ours can be told from theirs. */
const FOREIGN = ['CAELUS_TEST_', 'CAELUS_TOOLS_']

/** The only look at the environment of the process; everything else is handed on. */
export const environment: Env = process.env

/** Reads the environment once, at the door. Everything wrong with it is said at once. An empty value counts as unset. */
export function readConfig(env: Env): Config {
  const problems = unknownVariables(env)
  const values: Record<string, unknown> = {}
  const isSet = new Set<ConfigName>()
  for (const name of NAMES) {
    const asked: Variable<unknown> = VARIABLES[name]
    const written = env[asked.name]?.trim() || undefined
    if (written !== undefined) isSet.add(name)
    const source = written ?? asked.fallback
    if (source === undefined) continue
    try {
      values[name] = asked.read(source)
    } catch (error) {
      const shown = asked.secret ? 'the value (not shown)' : JSON.stringify(source)
      problems.push(`${asked.name}: ${shown} ${(error as Error).message}`)
    }
  }
  if (problems.length > 0) throw invalid(problems)
  const config = { ...(values as unknown as Values), isSet }
  const conflicts = crossCheck(config)
  if (conflicts.length > 0) throw invalid(conflicts)
  return Object.freeze(config)
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)

function crossCheck(c: Config): string[] {
  const problems: string[] = []
  const refuse = (when: boolean, problem: string): void => void (when && problems.push(problem))
  refuse(
    c.workerPoll >= c.workerLease,
    `CAELUS_WORKER_POLL (${c.workerPoll} ms) must be less than CAELUS_WORKER_LEASE (${c.workerLease} ms): lost claims would be found late`,
  )
  refuse(
    c.tenantShare > c.concurrency,
    `CAELUS_WORKER_TENANT_SHARE (${c.tenantShare}) must not exceed CAELUS_WORKER_CONCURRENCY (${c.concurrency}): one tenant could fill the worker`,
  )
  refuse(
    c.runtimesPrometheusTimeout > c.runtimesPrometheusInterval,
    `CAELUS_RUNTIMES_PROMETHEUS_TIMEOUT (${c.runtimesPrometheusTimeout} ms) must not exceed CAELUS_RUNTIMES_PROMETHEUS_INTERVAL (${c.runtimesPrometheusInterval} ms): one round would run into the next`,
  )
  refuse(
    c.runtimesMaxAge < c.runtimesStability,
    `CAELUS_RUNTIMES_MAX_AGE (${c.runtimesMaxAge} ms) must not be less than CAELUS_RUNTIMES_STABILITY (${c.runtimesStability} ms): recommendations would be outdated before they are stable`,
  )
  refuse(
    c.devLogin === true && !isLoopback(c.host),
    `CAELUS_DEV_LOGIN (true) needs CAELUS_HOST (${c.host}) to be a loopback address such as 127.0.0.1: anybody could log in`,
  )
  refuse(
    c.oidcIssuer === undefined && (c.oidcClientId ?? c.oidcAudience ?? c.oidcAdmin) !== undefined,
    `CAELUS_OIDC_ISSUER is not set, but other CAELUS_OIDC_ variables are: set it, or unset them`,
  )
  refuse(
    c.oidcIssuer !== undefined && c.oidcAudience === undefined && c.oidcClientId === undefined,
    `CAELUS_OIDC_ISSUER (${c.oidcIssuer}) needs CAELUS_OIDC_AUDIENCE or CAELUS_OIDC_CLIENT_ID: tokens made for others would be accepted`,
  )
  refuse(
    c.oidcClientSecret !== undefined && c.oidcClientId === undefined,
    `CAELUS_OIDC_CLIENT_SECRET is set, but CAELUS_OIDC_CLIENT_ID is not: set both`,
  )
  for (const [name, value] of [
    ['CAELUS_OIDC_ISSUER', c.oidcIssuer],
    ['CAELUS_PUBLIC_URL', c.publicUrl],
  ] as const) {
    refuse(
      value !== undefined && value.startsWith('http:') && !isLoopback(new URL(value).hostname),
      `${name} (${value}) must use https unless it is on loopback: cookies and tokens would travel in clear`,
    )
  }
  return problems
}

function unknownVariables(env: Env): string[] {
  const known = Object.values(VARIABLES).map(({ name }) => name)
  return Object.keys(env)
    .filter(
      (name) => name.startsWith('CAELUS_') && !known.includes(name) && !FOREIGN.some((own) => name.startsWith(own)),
    )
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

/** What is in force, without secrets. For `caelus config` and `GET /api/v1/config`. */
export const effectiveValues = (config: Config, env: Env): EffectiveValue[] =>
  NAMES.map((name) => {
    const { secret: hidden, fallback, name: envName, doc }: Variable<unknown> = VARIABLES[name]
    const set = config.isSet.has(name)
    const written = hidden ? '[redacted]' : withoutCredentials(env[envName]?.trim() ?? '')
    return {
      name: envName,
      value: set ? written : (fallback ?? null),
      source: set ? 'environment' : 'default',
      secret: hidden,
      description: doc,
    }
  })

const withoutCredentials = (value: string): string => value.replace(/(\w+:\/\/)[^/@\s]+@/, '$1[redacted]@')

/** The values that logs and answers must mask: secrets, and passwords in URLs. */
export function secretValues(config: Config): string[] {
  const values: unknown[] = NAMES.map((name) => config[name])
  const secrets = values.filter((value) => value instanceof Secret).map((value) => value.reveal())
  const urls = [...secrets, ...values].filter((value) => typeof value === 'string' && URL.canParse(value)) as string[]
  const passwords = urls.map((text) => new URL(text).password).filter((password) => password !== '')
  const keys = keysIn(config.valuesKey?.reveal() ?? '').filter((key) => key !== '')
  return [...secrets, ...passwords, ...passwords.map(decodeURIComponent), ...keys]
}
