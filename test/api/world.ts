import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import {
  decisions,
  eventRing,
  idempotencyStore,
  makeServer,
  readiness,
  sealer,
  statusBoard,
  type App,
  type Check,
  type Events,
  type Routes,
  type ServerParts,
} from '../../src/api/index.ts'
import { appsUsage } from '../../src/domains/apps/store/index.ts'
import { loginStore, newTokenSecret, openIdentity, tokenStore } from '../../src/identity/index.ts'
import type { Role } from '../../src/api/contract/index.ts'
import { decisionLog, createEmitter, systemClock, type KernelEvents, type Replays } from '../../src/kernel/index.ts'
import { decisionStore } from '../../src/store/index.ts'
import { makeLogger, makeMetrics, scrubber } from '../../src/telemetry/index.ts'
import { freshDatabase } from '../support/postgres.ts'

export const LIMITS = {
  bodyBytes: 64 * 1024,
  requestMs: 30_000,
  perMinute: 1000,
  loginsPerMinute: 100,
  streams: 5,
  trustedProxies: 0,
}

/** A user with an API token. */
export interface Person {
  readonly userId: string
  readonly secret: string
}

export interface World extends AsyncDisposable {
  readonly app: App
  readonly parts: ServerParts
  readonly log: string[]
  readonly kernel: ReturnType<typeof createEmitter<KernelEvents>>
  readonly decided: ReturnType<typeof decisionLog>
  /** Resolves when what was decided is in the database. */
  readonly kept: () => Promise<void>
  readonly consoleDir: string
  readonly pool: Awaited<ReturnType<typeof freshDatabase>>['pool']
  readonly url: string
  readonly readiness: ServerParts['readiness']
  person(role: Role, email?: string): Promise<Person>
  as(secret: string, request: InjectOptions): Promise<LightMyRequestResponse>
}

export interface WorldOptions {
  readonly parts?: Partial<ServerParts>
  readonly checks?: readonly Check[]
  readonly secrets?: readonly string[]
  readonly replays?: Replays
  /** Routes of a domain, on the same database. */
  readonly routes?: (on: { readonly pool: World['pool']; readonly url: string; readonly events: Events }) => Routes[]
}

/** The server on a fresh database, not listening: requests are injected, or a test lets it listen. */
export async function world(options: WorldOptions = {}): Promise<World> {
  const { parts: overrides = {}, checks = [], secrets = [], replays = {}, routes = () => [] } = options
  // A server that refuses to start leaves nothing behind either.
  await using ending = new AsyncDisposableStack()
  const database = ending.use(await freshDatabase())
  const pool = database.openPool({ role: 'caelus_api' })
  const consoleDir = await mkdtemp(join(tmpdir(), 'caelus-console-'))
  ending.defer(() => rm(consoleDir, { recursive: true, force: true }))
  const log: string[] = []
  const scrub = scrubber(secrets)
  const events = eventRing(systemClock)
  const kernel = createEmitter<KernelEvents>()
  const decided = decisionLog()
  const store = decisionStore({ pool: database.openPool({ role: 'caelus_worker' }), collectMs: 0 })
  decided.onAdd(store.keep)
  ending.defer(store.flush)
  const metrics = makeMetrics('0.0.0-test')
  metrics.listenTo(kernel)
  const ready = readiness(() => checks, systemClock, scrub)
  const parts: ServerParts = {
    version: '0.0.0-test',
    log: makeLogger({ level: 'debug', format: 'json', scrub, destination: { write: (line) => log.push(line) } }),
    clock: systemClock,
    scrub,
    limits: LIMITS,
    publicUrl: () => 'http://127.0.0.1:8080',
    devLogin: true,
    sessionLifetimeMs: 3_600_000,
    consoleDir,
    users: loginStore(pool),
    tokens: tokenStore(pool),
    identity: openIdentity({ pool, usage: [appsUsage] }),
    sealer: sealer(randomBytes(32), 3_600_000),
    oidc: undefined,
    idempotency: idempotencyStore({ pool, secret: Buffer.alloc(32, 3) }),
    events,
    board: statusBoard({ version: '0.0.0-test', clock: systemClock, events }),
    decisions: decisions({ pool, version: '0.0.0-test', mask: scrub.value, inWords: {}, replays }),
    readiness: ready,
    config: () => [],
    metrics,
    routes: routes({ pool, url: database.urlOf('caelus_api'), events }),
    ...overrides,
  }
  const app = await makeServer(parts)
  ending.defer(() => app.close())
  const made = ending.move()
  return {
    app,
    parts,
    log,
    kernel,
    decided,
    kept: store.flush,
    consoleDir,
    pool,
    url: database.url,
    readiness: ready,
    async person(role, email = `${randomBytes(4).toString('hex')}@example.test`) {
      const user = await parts.users.signIn({ subject: `test#${email}`, email, isVerified: true, role })
      if (user === undefined) throw new Error(`failed to make user ${email}`)
      const { secret, hash, prefix } = newTokenSecret()
      await parts.tokens.add({ userId: user.id, name: 'test', role, prefix, hash, expiresAt: null })
      return { userId: user.id, secret }
    },
    as: (secret, request) =>
      app.inject({ ...request, headers: { authorization: `Bearer ${secret}`, ...request.headers } }),
    [Symbol.asyncDispose]: () => made.disposeAsync(),
  }
}
