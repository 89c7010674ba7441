import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import {
  appsRoutes,
  recentDecisions,
  eventRing,
  httpService,
  idempotencyStore,
  makeServer,
  oidc,
  readiness,
  runtimesRoutes,
  sealer,
  statusBoard,
  tellAppsChanges,
  tokenStore,
  userStore,
  type AppsInsight,
  type Check,
  type Events,
  type HttpService,
  type ServerParts,
  type StatusBoard,
} from '../../api/index.ts'
import type { QueueView } from '../../api/contract/index.ts'
import { logApps } from '../apps/log.ts'
import { appsMetrics } from '../apps/metrics.ts'
import { appsReport, type AppsReport } from '../apps/report.ts'
import { openAppsUseCases, type AppsUseCases } from '../apps/usecases.ts'
import { keysIn } from '../../config/kinds.ts'
import { effectiveValues, secretValues, type Config } from '../../config/index.ts'
import { databaseCheck, postgresVersion } from './database.ts'
import type { Env } from './environment.ts'
import { decisionText as appsDecisionText, type AppsEvents } from '../../domains/apps/index.ts'
import { decisionText as runtimesDecisionText, type RuntimesControllerEvents } from '../../domains/runtimes/index.ts'
import { logRuntimes } from '../runtimes/log.ts'
import { runtimesMetrics } from '../runtimes/metrics.ts'
import { openRuntimesUseCases, type RuntimesUseCases } from '../runtimes/usecases.ts'
import { runtimesSettings } from '../runtimes/settings.ts'
import {
  decisionLog,
  defineFailures,
  createEmitter,
  systemClock,
  type DecisionLog,
  type Emitter,
  type Service,
} from '../../kernel/index.ts'
import type { RequestEvents } from '../../kube/index.ts'
import {
  listener,
  openPool,
  queueDepths,
  unsentChanges,
  type Depth,
  type JobState,
  type Pool,
} from '../../store/index.ts'
import {
  failureLog,
  logKernel,
  makeMetrics,
  scrubber,
  traceKernel,
  type FailureLog,
  type Logger,
  type Metrics,
} from '../../telemetry/index.ts'
import { VERSION } from '../../version.ts'
import { kubeMetrics } from './kube-metrics.ts'
import { retentionServices } from './retention.ts'
import { openLog } from './telemetry.ts'
import { logWatches } from './watch-log.ts'
import { watchMetrics } from './watch-metrics.ts'

export interface ServeOptions {
  readonly config: Config
  readonly env: Env
  readonly databaseUrl: string
  readonly devLogin: boolean
  /** 32 bytes. @default random: sessions end with the process */
  readonly sessionKey?: Uint8Array
  /** In the format of CAELUS_VALUES_KEY. @default none: write-only values are refused */
  readonly valuesKey?: string
  /** @default false */
  readonly localCharts?: boolean
  /** @default standard error */
  readonly logTo?: { write(line: string): unknown }
}

/** The parts of a process that serves the API. `caelus up` adds workers, controllers and demos to them. */
export interface Serving {
  readonly http: HttpService
  readonly pool: Pool
  readonly log: Logger
  readonly metrics: Metrics
  readonly failures: FailureLog
  /** Logs a failure that may repeat. */
  readonly onError: (error: unknown, what: string) => void
  readonly kernel: Emitter<AppsEvents & RuntimesControllerEvents & RequestEvents>
  readonly decisions: DecisionLog
  readonly events: Events
  readonly board: StatusBoard
  /** The checks of /readyz; more may be added while it runs. */
  readonly checks: Check[]
  readonly useCases: AppsUseCases
  readonly runtimes: RuntimesUseCases
  readonly report: AppsReport
  /** To be started in this order. */
  readonly services: readonly Service[]
  /** Connects the API to a control plane. */
  readonly see: (insight: AppsInsight) => void
  /** Closes the connections. To be called after the last service has stopped. */
  close(): Promise<void>
}

const CONSOLE_DIR = join(import.meta.dirname, '../../../console/dist')

export async function assemble({
  config,
  env,
  databaseUrl,
  devLogin,
  sessionKey,
  valuesKey,
  localCharts = false,
  logTo,
}: ServeOptions): Promise<Serving> {
  const scrub = scrubber([
    ...secretValues(config),
    ...(valuesKey === undefined ? [] : keysIn(valuesKey)),
    databaseUrl,
    new URL(databaseUrl).password,
  ])
  const log = openLog(config, scrub, logTo)
  const failures = failureLog(log)
  const onError = (error: unknown, what: string): void => failures.failed(what, error)
  const metrics = makeMetrics(VERSION)
  const kernel = createEmitter<AppsEvents & RuntimesControllerEvents & RequestEvents>((error) =>
    log.error({ error }, 'Listener failed'),
  )
  const decisions = decisionLog()
  const events = eventRing(systemClock)
  const board = statusBoard({ version: VERSION, clock: systemClock, events })
  logKernel(kernel, log, failures)
  logWatches(kernel, log, failures)
  logApps(kernel, log, failures)
  logRuntimes(kernel, log)
  metrics.listenTo(kernel)
  appsMetrics(metrics.registry, kernel)
  traceKernel(kernel)
  watchMetrics(metrics, kernel)
  kubeMetrics(metrics.registry, kernel)

  const pool = openPool({ url: databaseUrl, applicationName: 'caelus api', role: 'caelus_api' })
  const checks: Check[] = [databaseCheck(pool)]
  const ready = readiness(() => checks, systemClock, scrub)
  const depths = atMostEvery(DEPTHS_MS, () => queueDepths(pool))
  metrics.queueDepths(depths)
  board.queue(async () => totalOf(await depths()))

  const useCases = openAppsUseCases({ config, databaseUrl, pool, valuesKey, localCharts })
  const runtimes = openRuntimesUseCases({ config, pool, events, board, emitter: kernel, noControlPlane: blind })
  runtimesMetrics(metrics.registry, kernel, runtimes.list)
  let insight = BLIND
  const notices = listener({
    url: databaseUrl,
    applicationName: 'caelus api changes',
    onLost: (error) => onError(error, 'Change notifications interrupted'),
  })
  tellAppsChanges(notices, events)
  const report = appsReport(pool, notices, board)
  const seeing: AppsInsight = {
    preview: (inputs, signal) => insight.preview(inputs, signal),
    explain: (id, signal) => insight.explain(id, signal),
    resources: (id, signal) => insight.resources(id, signal),
  }

  const parts: ServerParts = {
    version: VERSION,
    log,
    clock: systemClock,
    scrub,
    limits: {
      bodyBytes: config.bodyLimit,
      requestMs: config.requestTimeout,
      perMinute: config.rateLimit,
      loginsPerMinute: config.loginRateLimit,
      streams: config.maxStreams,
      trustedProxies: config.trustProxy,
    },
    publicUrl: () => config.publicUrl ?? http.url(),
    devLogin,
    sessionLifetimeMs: config.sessionLifetime,
    consoleDir: CONSOLE_DIR,
    users: userStore(pool),
    tokens: tokenStore(pool),
    sealer: sealer(sessionKey ?? randomBytes(32), config.sessionLifetime),
    oidc: oidcOf(config),
    idempotency: idempotencyStore(pool),
    events,
    board,
    decisions: recentDecisions({
      log: decisions,
      kernel,
      events,
      mask: (value) => scrub.value(value ?? null),
      inWords: { Deployment: appsDecisionText, ClassRuntime: runtimesDecisionText },
    }),
    readiness: ready,
    config: () => effectiveValues(config, env),
    metrics,
    routes: [
      appsRoutes({ apps: useCases.apps, insight: seeing }),
      runtimesRoutes({ runtimes: runtimes.runtimes, nfr: runtimesSettings(config).nfr, clock: systemClock }),
    ],
  }
  const app = await makeServer(parts)
  const address = { host: config.host, port: config.port, orAnyPort: !config.isSet.has('port') }
  const http: HttpService = httpService(app, address, ready, config.shutdownGrace)
  board.component('postgresql', { health: 'ok', message: 'answers', version: await postgresVersion(pool) })
  return {
    http,
    pool,
    log,
    metrics,
    failures,
    onError,
    kernel,
    decisions,
    events,
    board,
    checks,
    useCases,
    runtimes,
    report,
    services: [
      notices,
      unsentChanges({ pool, listener: notices, onError: (error) => onError(error, 'Changes not sent') }),
      ...retentionServices(config, databaseUrl, (error) => onError(error, 'Old rows not deleted')),
      report.service,
      http,
    ],
    see: (better) => void (insight = better),
    async close() {
      await useCases.close()
      await pool.end()
    },
  }
}

const raise = defineFailures({
  NoControlPlane: {
    whoseMove: 'platform',
    retryable: true,
    nextStep:
      'Wait until `caelus status` says that kubernetes is ready; set CAELUS_KUBECONFIG to connect the server to a control plane.',
  },
})

const blind = (): never => {
  throw raise.NoControlPlane('this server is not connected to a control plane')
}

const noControlPlane = async (): Promise<never> => blind()

const BLIND: AppsInsight = { preview: noControlPlane, explain: noControlPlane, resources: noControlPlane }

function totalOf(depths: readonly Depth[]): QueueView {
  const total = (state: JobState): number => depths.reduce((sum, depth) => sum + depth[state], 0)
  return { due: total('ready'), running: total('running'), waiting: total('delayed'), parked: total('parked') }
}

/** Counting depths reads the whole table; requests within this time share one count. */
const DEPTHS_MS = 2_000

function atMostEvery<T>(ms: number, ask: () => Promise<T>): () => Promise<T> {
  let last: { readonly at: number; readonly answer: Promise<T> } | undefined
  return () => {
    const now = systemClock.now()
    if (last === undefined || now - last.at >= ms) last = { at: now, answer: ask() }
    return last.answer
  }
}

function oidcOf({
  oidcIssuer,
  oidcAudience,
  oidcClientId,
  oidcClientSecret,
  oidcScopes,
  oidcAdmin,
}: Config): ServerParts['oidc'] {
  const audience = oidcAudience ?? oidcClientId
  if (oidcIssuer === undefined || audience === undefined) return undefined
  const secret = oidcClientSecret?.reveal()
  return oidc({
    issuer: oidcIssuer,
    audience,
    ...(oidcClientId !== undefined && {
      client: { id: oidcClientId, scopes: oidcScopes, ...(secret !== undefined && { secret }) },
    }),
    ...(oidcAdmin !== undefined && { admin: oidcAdmin }),
  })
}
