import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { expectNoSentinel, SENTINEL } from '../../test/support/sentinel.ts'
import { APPS } from './apps.ts'
import { CLUSTER_WORKER, CLUSTERS } from './clusters.ts'
import {
  effectiveValues,
  INSTALLATION,
  LOGIN,
  readConfig as readSections,
  REMOTE,
  RETENTION,
  secretValues,
  SERVER,
  TELEMETRY,
  WORKERS,
  type Config,
  type Env,
} from './index.ts'
import { RUNTIMES } from './runtimes.ts'
import type { Variable } from './variable.ts'

const ALL = [
  INSTALLATION,
  SERVER,
  LOGIN,
  WORKERS,
  RETENTION,
  APPS,
  CLUSTERS,
  CLUSTER_WORKER,
  RUNTIMES,
  REMOTE,
  TELEMETRY,
]

const readConfig = (env: Env): Config => readSections(env, { sections: ALL })

const refusal = (env: Record<string, string>): string => {
  try {
    readConfig(env)
  } catch (error) {
    return (error as Error).message
  }
  return 'accepted'
}

test('without any variable everything has its default, and nothing can be changed', () => {
  const config = readConfig({})
  expect(config.of(SERVER)).toMatchObject({ host: '127.0.0.1', port: 8080, bodyLimit: 1024 ** 2 })
  expect(config.of(WORKERS)).toMatchObject({ lease: 15_000 })
  expect(config.of(INSTALLATION)).toEqual({ dataDir: '.caelus' })
  for (const one of [config, config.of(SERVER)]) expect(Object.isFrozen(one)).toBe(true)
})

test('units are understood', () => {
  const env = { CAELUS_REQUEST_TIMEOUT: '1.5m', CAELUS_BODY_LIMIT: '512KiB', CAELUS_DEV_LOGIN: 'true' }
  const config = readConfig(env)
  expect(config.of(SERVER)).toMatchObject({ requestTimeout: 90_000, bodyLimit: 524_288 })
  expect(config.of(LOGIN).devLogin).toBe(true)
})

test('the worker of clusters has the defaults of its documentation', () => {
  const config = readConfig({})
  expect(config.of(CLUSTERS)).toEqual({
    mode: 'mock',
    providerType: 'local',
    cloudProfile: 'local',
    maxShootNameLen: 21,
    credentialsNamespace: 'garden',
    networkingType: 'calico',
    nodesCidr: '10.0.0.0/16',
    orphanGrace: 600_000,
    orphansAtMost: 3,
  })
  expect(config.of(CLUSTER_WORKER)).toEqual({
    logLevel: 'info',
    pollInterval: 30_000,
    reconcileInterval: 300_000,
    statusPollInterval: 30_000,
    statusPollBatchSize: 50,
    healthPort: 8097,
    shutdownTimeout: 30_000,
  })
})

test('durations may be written as Go writes them', () =>
  expect(readConfig({ RECONCILE_INTERVAL: '1h1m1.5s' }).of(CLUSTER_WORKER).reconcileInterval).toBe(3_661_500))

test('a command that reads no variables of Gardener leaves those of other programs alone', () => {
  const env = { GARDENER_KUBECONF: '/x', LOG_LEVEL: 'trace' }
  expect(() => readSections(env, { sections: [INSTALLATION, APPS], known: ALL })).not.toThrow()
})

test('lists are understood', () => {
  const { allowedManagers, quota, egressExcept } = readConfig({
    CAELUS_APPS_ALLOWED_MANAGERS: 'istio*=metadata.annotations, keda-operator',
    CAELUS_APPS_QUOTA: 'none',
    CAELUS_APPS_EGRESS_EXCEPT: '10.0.0.0/8, fd00::/8',
  }).of(APPS)
  expect(allowedManagers).toEqual([{ manager: 'istio*', under: 'metadata.annotations' }, { manager: 'keda-operator' }])
  expect([quota, egressExcept]).toEqual([{}, ['10.0.0.0/8', 'fd00::/8']])
})

test('everything wrong is said at once, with variable, value and fix', () => {
  const message = refusal({
    CAELUS_PORT: '99999',
    CAELUS_WORKER_LEASE: '10',
    CAELUS_LOG_LEVEL: 'loud',
    CAELUS_PROT: '80',
    CAELUS_WHATEVER: '1',
  })
  expect(message.split('\n').slice(1)).toEqual([
    '  CAELUS_PROT: there is no such variable; did you mean CAELUS_PORT?',
    '  CAELUS_WHATEVER: there is no such variable; `caelus config` lists all there are',
    '  CAELUS_PORT: "99999" must be an integer from 0 to 65535',
    '  CAELUS_WORKER_LEASE: "10" must be a duration from 1s to 10m, such as 500ms, 30s or 5m',
    '  CAELUS_LOG_LEVEL: "loud" must be one of debug, info, warn, error, silent',
  ])
})

test.each([
  [{ CAELUS_WORKER_POLL: '20s' }, 'CAELUS_WORKER_POLL (20000 ms) must be less than CAELUS_WORKER_LEASE (15000 ms)'],
  [
    { CAELUS_WORKER_LEASE: '26s' },
    'CAELUS_WORKER_LEASE (26000 ms) and CAELUS_WORKER_POLL (5000 ms) must not exceed 30000 ms together',
  ],
  [{ CAELUS_WORKER_TENANT_SHARE: '9' }, 'CAELUS_WORKER_TENANT_SHARE (9) must not exceed CAELUS_WORKER_CONCURRENCY (8)'],
  [{ CAELUS_DEV_LOGIN: 'true', CAELUS_HOST: '0.0.0.0' }, 'CAELUS_DEV_LOGIN (true) needs CAELUS_HOST (0.0.0.0)'],
  [
    { CAELUS_RUNTIMES_PROMETHEUS_INTERVAL: '2s' },
    'CAELUS_RUNTIMES_PROMETHEUS_TIMEOUT (5000 ms) must not exceed CAELUS_RUNTIMES_PROMETHEUS_INTERVAL (2000 ms)',
  ],
  [
    { CAELUS_RUNTIMES_MAX_AGE: '1m' },
    'CAELUS_RUNTIMES_MAX_AGE (60000 ms) must not be less than CAELUS_RUNTIMES_STABILITY (180000 ms)',
  ],
  [{ CAELUS_RUNTIMES_PROFILE: 'cloud' }, 'must be one of dev, edge, full'],
  [{ GARDENER_MODE: 'fake' }, 'GARDENER_MODE: "fake" must be one of mock, real'],
  [
    { GARDENER_NAMESPACE: 'Garden_Fundament' },
    'GARDENER_NAMESPACE: "Garden_Fundament" must be the name of a namespace',
  ],
  [{ GARDENER_MAX_SHOOT_NAME_LEN: '64' }, 'GARDENER_MAX_SHOOT_NAME_LEN: "64" must be an integer from 12 to 63'],
  [{ GARDENER_KUBECONF: '/x' }, 'GARDENER_KUBECONF: there is no such variable; did you mean GARDENER_KUBECONFIG?'],
  [{ CAELUS_CLUSTERS_NODES_CIDR: '10.0.0.0' }, 'CAELUS_CLUSTERS_NODES_CIDR: "10.0.0.0" must be a network'],
  [{ CAELUS_CLUSTERS_MACHINE_IMAGE: 'a:b:c' }, 'must be the name of an image, or name:version'],
  [{ LOG_LEVEL: 'trace' }, 'LOG_LEVEL: "trace" must be one of debug, info, warn, error'],
  [{ RECONCILE_INTERVAL: '5' }, 'RECONCILE_INTERVAL: "5" must be a duration from 1s to 7d'],
  [{ POLL_INTERVAL: '30s later' }, 'POLL_INTERVAL: "30s later" must be a duration'],
  [{ STATUS_POLL_BATCH_SIZE: '0' }, 'STATUS_POLL_BATCH_SIZE: "0" must be an integer from 1 to 10000'],
  [{ HEALTH_PORT: 'http' }, 'HEALTH_PORT: "http" must be an integer from 0 to 65535'],
  [{ SHUTDOWN_TIMEOUT: '-1s' }, 'SHUTDOWN_TIMEOUT: "-1s" must be a duration'],
  [{ CAELUS_RUNTIMES_MIN_CONFIDENCE: '1.5' }, 'must be a number from 0 to 1'],
  [{ CAELUS_RUNTIMES_LEASE_NAMESPACE: 'Caelus_System' }, 'must be the name of a namespace'],
  [{ CAELUS_RUNTIMES_NAMESPACE: 'shop,Pay_Ments' }, 'must be names of namespaces, separated by commas'],
  [{ CAELUS_RUNTIMES_NAMESPACE: 'shop,' }, 'must be names of namespaces, separated by commas'],
  [{ CAELUS_RUNTIMES_NAMESPACE: 'shop, shop' }, 'must not have the same namespace twice'],
  [{ CAELUS_APPS_ALLOWED_MANAGERS: 'a b' }, 'must be manager or manager=field'],
  [{ CAELUS_APPS_QUOTA: 'pods' }, 'must be resource=quantity,… such as pods=50,requests.memory=16Gi, or none'],
  [{ CAELUS_APPS_QUOTA: 'pods=1,pods=2' }, 'must not have the same resource twice'],
  [{ CAELUS_APPS_DEFAULT_REQUESTS: 'none' }, 'must name cpu, because CAELUS_APPS_QUOTA limits requests.cpu'],
  [{ CAELUS_APPS_EGRESS_EXCEPT: '10.0.0.0/33' }, 'must be networks such as 10.0.0.0/8'],
  [{ CAELUS_OIDC_CLIENT_ID: 'x' }, 'CAELUS_OIDC_ISSUER is not set'],
  [{ CAELUS_OIDC_ISSUER: 'https://id.example' }, 'needs CAELUS_OIDC_AUDIENCE or CAELUS_OIDC_CLIENT_ID'],
  [{ CAELUS_OIDC_ISSUER: 'http://id.example', CAELUS_OIDC_AUDIENCE: 'x' }, 'must use https'],
  [{ CAELUS_PUBLIC_URL: 'http://caelus.example' }, 'must use https'],
  [{ CAELUS_SESSION_KEY: 'c2hvcnQ=' }, 'must be 32 bytes in base64'],
  [{ CAELUS_OIDC_ADMIN: 'groups' }, 'must be written claim=value'],
])('%j is refused', (env, why) => expect(refusal(env as Record<string, string>)).toContain(why))

test('a secret is shown by nothing that prints it, right or wrong', () => {
  const env = {
    DATABASE_URL: `postgres://joe:${encodeURIComponent(SENTINEL)}@db/caelus`,
    CAELUS_TOKEN: SENTINEL,
    OTEL_EXPORTER_OTLP_ENDPOINT: `https://joe:${encodeURIComponent(SENTINEL)}@otel.example`,
  }
  const config = readConfig(env)
  expect(secretValues(config)).toContain(SENTINEL)
  const shown = [
    inspect(config, { depth: 9 }),
    JSON.stringify(config),
    String(config.of(REMOTE).token),
    JSON.stringify(effectiveValues(config, env)),
  ]
  const withoutOpenUrl = shown.map((text) => text.replaceAll(config.of(TELEMETRY).otlpEndpoint ?? '', ''))
  for (const text of withoutOpenUrl) expectNoSentinel(text)
  expectNoSentinel(
    refusal({ DATABASE_URL: `mysql://joe:${encodeURIComponent(SENTINEL)}@db`, CAELUS_SESSION_KEY: SENTINEL }),
  )
})

test('no two variables share a name, and each is described in a sentence', () => {
  const all = ALL.flatMap<Variable<unknown>>(({ variables }) => Object.values(variables))
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  for (const { doc } of all) expect(doc).toMatch(/^[A-Z`].*\.$/s)
})

test('keys of values are read as a ring, and none of them is shown', () => {
  const [old, fresh] = ['o', 'n'].map((letter) => Buffer.alloc(32, letter).toString('base64'))
  const config = readConfig({ CAELUS_VALUES_KEY: `new:${fresh}, old:${old}` })
  expect(config.of(APPS).valuesKey?.reveal()).toBe(`new:${fresh}, old:${old}`)
  expect(inspect(config)).not.toContain(fresh)
  expect(secretValues(config)).toEqual(expect.arrayContaining([old, fresh]))
  expect(refusal({ CAELUS_VALUES_KEY: 'new:c2hvcnQ=' })).toContain(
    'CAELUS_VALUES_KEY: the value (not shown) must be id:key',
  )
  expect(refusal({ CAELUS_VALUES_KEY: `a:${old},a:${fresh}` })).toContain('must not have the same id twice')
})

test('two domains may call a variable the same, each with its own value', () => {
  const config = readConfig({
    CAELUS_RUNTIMES_OTLP_ENDPOINT: 'https://functions.example',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://caelus.example',
  })
  expect(config.of(RUNTIMES).otlpEndpoint).toBe('https://functions.example')
  expect(config.of(TELEMETRY).otlpEndpoint).toBe('https://caelus.example')
})

test('a command is not concerned with the sections of others, but with misspelt variables', () => {
  const env = { CAELUS_RUNTIMES_PROFILE: 'cloud', CAELUS_URL: 'https://caelus.example' }
  const sections = [INSTALLATION, REMOTE]
  const config = readSections(env, { sections, known: ALL })
  expect(config.of(REMOTE).url).toBe('https://caelus.example')
  expect(() => config.of(RUNTIMES)).toThrow('failed to read "Runtimes"')
  expect(() => readSections({ CAELUS_PROT: '1' }, { sections, known: ALL })).toThrow('did you mean CAELUS_PORT?')
})

test('defaults of a command replace the documented ones, are no setting of the operator, and are masked', () => {
  const values = `local:${Buffer.alloc(32, 's').toString('base64')}`
  const defaults = { CAELUS_PORT: '9090', CAELUS_VALUES_KEY: values }
  const config = readSections({ CAELUS_HOST: '::1' }, { sections: ALL, defaults })
  expect(config.of(SERVER)).toMatchObject({ port: 9090, host: '::1' })
  expect(config.isSet(SERVER.variables.port)).toBe(false)
  expect(config.isSet(SERVER.variables.host)).toBe(true)
  expect(secretValues(config)).toContain(values.slice('local:'.length))
  expect(JSON.stringify(effectiveValues(config, {}))).not.toContain(values)
})
