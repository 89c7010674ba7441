import type { Command } from 'commander'
import { pino } from 'pino'
import { makeServer, type ServerParts } from '../../src/api/index.ts'
import { buildProgram, cliReference, type CliPorts } from '../../src/cli/index.ts'
import { configurationReference } from '../../src/config/index.ts'
import { Echo } from '../../examples/echo/index.ts'
import { createEmitter, knownFailures, systemClock } from '../../src/kernel/index.ts'
import '../../src/processes/shared/needs-checkout.ts'
import type { ProcessEvents } from '../../src/processes/domain.ts'
import { domainCommands, openDomains } from '../../src/processes/domains.ts'
import { SECTIONS } from '../../src/processes/sections.ts'
import { kubeMetrics } from '../../src/processes/shared/kube-metrics.ts'
import { tagsOf } from '../../src/processes/shared/serve.ts'
import '../../src/processes/up/up.ts'
import { makeMetrics } from '../../src/telemetry/index.ts'
import { VERSION } from '../../src/version.ts'
import { crdYaml } from './crd-yaml.ts'
import { CRD_FILES } from './crds.ts'

/** A page of docs/reference that is made from the code. */
export interface ReferencePage {
  readonly path: string
  readonly make: () => Promise<string>
}

export const PAGES: readonly ReferencePage[] = [
  { path: 'docs/reference/configuration.md', make: async () => configurationReference(SECTIONS) },
  { path: 'docs/reference/cli.md', make: async () => cliReference(describedProgram()) },
  { path: 'docs/reference/openapi.json', make: openApi },
  { path: 'docs/reference/failures.md', make: failuresReference },
  { path: 'docs/reference/metrics.md', make: metricsReference },
  { path: 'examples/echo/crd.yaml', make: async () => crdYaml(Echo) },
  ...CRD_FILES.map(({ path, text }) => ({ path, make: async () => text })),
]

/** Ports for generating the reference: calling one fails. */
const inert = (what: string): never =>
  new Proxy({} as never, {
    get: (_, name) => () => {
      throw new Error(`failed to describe: ${what}.${String(name)} is not there`)
    },
  })

const inertPorts: CliPorts = {
  ...(inert('ports') as CliPorts),
  version: VERSION,
  terminal: { out: () => {}, err: () => {}, isInteractive: false, ask: () => Promise.resolve('') },
}

/** All commands, to be described and never run. */
export const describedProgram = (): Command => buildProgram(inertPorts, domainCommands(inert('start')))

/** Fixed: the version of a release would change the document without need. */
const API_VERSION = 'v1'

async function openApi(): Promise<string> {
  const domains = await openDomains()
  const parts: ServerParts = {
    version: API_VERSION,
    log: pino({ level: 'silent' }),
    clock: systemClock,
    scrub: (text) => text,
    limits: { bodyBytes: 1024, requestMs: 1000, perMinute: 1, loginsPerMinute: 1, streams: 1, trustedProxies: 0 },
    publicUrl: () => 'http://127.0.0.1:8080',
    devLogin: false,
    sessionLifetimeMs: 1000,
    consoleDir: import.meta.dirname,
    users: inert('users'),
    tokens: inert('tokens'),
    identity: inert('identity'),
    sealer: inert('sealer'),
    oidc: undefined,
    idempotency: inert('idempotency'),
    events: inert('events'),
    board: inert('board'),
    decisions: inert('decisions'),
    readiness: inert('readiness'),
    config: () => [],
    metrics: inert('metrics'),
    tags: tagsOf(domains),
    routes: domains.flatMap((domain) => domain.describe?.(inert) ?? []),
  }
  const app = await makeServer(parts)
  await app.ready()
  const document = app.swagger()
  await app.close()
  return `${JSON.stringify(document, null, 2)}\n`
}

/** Every code that any module declares; loading the composition root loads them all. */
async function failuresReference(): Promise<string> {
  await openDomains()
  const rows = knownFailures().map(
    ([code, { whoseMove, retryable, nextStep }]) =>
      `| \`${code}\` | ${whoseMove} | ${retryable ? 'yes' : 'no'} | ${nextStep} |`,
  )
  return [
    '# Failure codes',
    '',
    'Every failure that reaches a person has a code, names who has to act, says whether Caelus retries, and what to do next. The codes are the same in',
    'rows, conditions, problems of the API and output of the command line. Made from the code by `npm run generate`.',
    '',
    '| code | whose move | retried | next step |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

/** The types of the library lack the label names; its objects have them. */
interface Labelled {
  readonly labelNames?: readonly string[]
}

async function metricsReference(): Promise<string> {
  const { registry } = makeMetrics(VERSION)
  const emitter = createEmitter<ProcessEvents>()
  kubeMetrics(registry, emitter)
  for (const domain of await openDomains()) domain.metrics?.(registry, emitter)
  const rows = registry
    .getMetricsAsArray()
    .filter(({ name }) => /^(?:caelus|crm)_/.test(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((metric) => {
      const labels = ((metric as Labelled).labelNames ?? []).map((label) => `\`${label}\``)
      return `| \`${metric.name}\` | ${String(metric.type)} | ${labels.join(', ')} | ${metric.help} |`
    })
  return [
    '# Metrics',
    '',
    '`/metrics` answers in the format of Prometheus. It also has the metrics of the Node process (`process_*`, `nodejs_*`). Labels take values from',
    'fixed lists: none grows with tenants, deployments or paths. Made from the code by `npm run generate`.',
    '',
    '| metric | type | labels | says |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
