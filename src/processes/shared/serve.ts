import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import {
  decisions as decisionsOf,
  eventRing,
  httpService,
  idempotencyStore,
  makeServer,
  oidc,
  publishChanges,
  publishDecisions,
  readiness,
  sealer,
  statusBoard,
  type Check,
  type HttpService,
  type ServerParts,
  type Tag,
} from '../../api/index.ts'
import type { QueueView } from '../../api/contract/index.ts'
import { effectiveValues, LOGIN, SERVER, type Login } from '../../config/index.ts'
import { openSeams } from './seams.ts'
import type { ApiHost, OpenDomain, ServedDomain } from '../domain.ts'
import { loginStore, openIdentity, tokenStore } from '../../identity/index.ts'
import { databaseAnswers, databaseCheck } from './database.ts'
import type { Host } from './host.ts'
import { defineFailures, systemClock, type Service } from '../../kernel/index.ts'
import { asUser, listener, openPool, queueDepths, unsentChanges, type Depth, type JobState } from '../../store/index.ts'
import { VERSION } from '../../version.ts'

export interface ServeOptions {
  readonly host: Host
  readonly domains: readonly OpenDomain[]
  /** With the login of the API. Its secrets must be among those that the host masks. */
  readonly databaseUrl: string
}

/** The parts of a process that serves the API. `caelus up` adds workers, controllers and demos to them. */
export interface Serving extends ApiHost, Pick<Host, 'failures'> {
  readonly http: HttpService
  /** The checks of /readyz; more may be added while it runs. */
  readonly checks: Check[]
  readonly domains: readonly (ServedDomain & Pick<OpenDomain, 'name'>)[]
  /**
   * Started together, and stopped in the reverse order: while the others wait for the database, the last one answers
   * /healthz and says in /readyz what is missing.
   */
  readonly services: readonly Service[]
  /** Closes the connections. To be called after the last service has stopped. */
  close(): Promise<void>
}

const CONSOLE_DIR = join(import.meta.dirname, '../../../console/dist')

/** Connects to nothing yet: the services do. */
export async function assemble({ host, domains, databaseUrl }: ServeOptions): Promise<Serving> {
  const { config, env, scrub, log, metrics, onError } = host
  const server = config.of(SERVER)
  const events = eventRing(systemClock)
  const board = statusBoard({ version: VERSION, clock: systemClock, events })
  const pool = openPool({ url: databaseUrl, applicationName: 'caelus api', role: 'caelus_api' })
  const checks: Check[] = [databaseCheck(pool)]
  const ready = readiness(() => checks, systemClock, scrub)
  const depths = atMostEvery(DEPTHS_MS, () => asUser(pool, { admin: true }, queueDepths))
  metrics.queueDepths(depths)
  board.queue(async (member) =>
    totalOf(await (member === undefined ? depths() : asUser(pool, { userId: member, admin: false }, queueDepths))),
  )
  const notices = listener({
    url: databaseUrl,
    applicationName: 'caelus api changes',
    onLost: (error) => onError(error, 'Change notifications interrupted'),
  })
  const seams = openSeams()
  const apiHost: ApiHost = { ...host, databaseUrl, pool, notices, events, board, seams, noControlPlane }
  const served = domains.map((domain) => ({ name: domain.name, ...domain.serve?.(apiHost) }))
  publishChanges({ listener: notices, events, topics: served.flatMap(({ changes }) => changes ?? []) })
  const recorded = decisionsOf({
    pool,
    version: VERSION,
    mask: scrub.value,
    inWords: Object.assign({}, ...domains.map(({ inWords }) => inWords)),
    replays: Object.assign({}, ...domains.map(({ replays }) => replays)),
  })
  const decisionsUnread = (error: unknown): void => onError(error, 'New decisions not read')
  publishDecisions({ listener: notices, decisions: recorded, events, clock: systemClock, onError: decisionsUnread })

  const { sessionKey, sessionLifetime, devLogin = false } = config.of(LOGIN)
  const parts: ServerParts = {
    version: VERSION,
    log,
    clock: systemClock,
    scrub,
    limits: {
      bodyBytes: server.bodyLimit,
      requestMs: server.requestTimeout,
      perMinute: server.rateLimit,
      loginsPerMinute: server.loginRateLimit,
      streams: server.maxStreams,
      trustedProxies: server.trustProxy,
    },
    publicUrl: () => server.publicUrl ?? http.url(),
    devLogin,
    sessionLifetimeMs: sessionLifetime,
    consoleDir: CONSOLE_DIR,
    users: loginStore(pool),
    tokens: tokenStore(pool),
    identity: openIdentity({ pool, usage: domains.flatMap(({ usage }) => usage ?? []) }),
    // Without a key, sessions end with the process.
    sealer: sealer(sessionKey ? Buffer.from(sessionKey.reveal(), 'base64') : randomBytes(32), sessionLifetime),
    oidc: oidcOf(config.of(LOGIN)),
    idempotency: idempotencyStore({ pool, secret: sessionKey && Buffer.from(sessionKey.reveal(), 'base64') }),
    events,
    board,
    decisions: recorded,
    readiness: ready,
    config: () => effectiveValues(config, env),
    metrics,
    tags: tagsOf(domains),
    routes: served.flatMap(({ routes }) => routes ?? []),
  }
  const app = await makeServer(parts)
  const address = { host: server.host, port: server.port, orAnyPort: !config.isSet(SERVER.variables.port) }
  const http: HttpService = httpService(app, address, ready, server.shutdownGrace)
  return {
    ...apiHost,
    failures: host.failures,
    http,
    checks,
    domains: served,
    services: [
      databaseAnswers(pool, host.failures, (version) =>
        board.component('postgresql', { health: 'ok', message: 'answers', version }),
      ),
      notices,
      unsentChanges({ pool, listener: notices, onError: (error) => onError(error, 'Changes not sent') }),
      ...served.flatMap(({ services = [] }) => services),
      http,
    ],
    async close() {
      for (const domain of served) await domain.close?.()
      await pool.end()
    },
  }
}

/** The groups of routes in the reference of the API. */
export const tagsOf = (domains: readonly OpenDomain[]): Tag[] =>
  domains.flatMap(({ name, tag }) => (tag === undefined ? [] : [{ name, description: tag }]))

const raise = defineFailures({
  NoControlPlane: {
    whoseMove: 'platform',
    retryable: true,
    nextStep:
      'Wait until `caelus status` says that kubernetes is ready; set CAELUS_KUBECONFIG to connect the server to a control plane.',
  },
})

const noControlPlane = (): never => {
  throw raise.NoControlPlane('this server is not connected to a control plane')
}

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

function oidcOf(login: Login): ServerParts['oidc'] {
  const { oidcIssuer, oidcAudience, oidcClientId, oidcClientSecret, oidcScopes, oidcAdmin, oidcTokenType } = login
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
    ...(oidcTokenType !== undefined && { tokenType: oidcTokenType }),
    trustsEmail: login.oidcTrustEmail,
  })
}
