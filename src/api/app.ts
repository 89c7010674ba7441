import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../kernel/index.ts'
import type { IdentityUseCases } from '../identity/index.ts'
import type { AuthParts } from './auth/authenticate.ts'
import type { ConfigEntryView } from './contract/index.ts'
import type { Decisions } from './decisions.ts'
import type { Events } from './live/events.ts'
import type { IdempotencyKeys } from './http/idempotency.ts'
import type { Readiness } from './readiness.ts'
import type { StatusBoard } from './status-board.ts'

export interface Limits {
  readonly bodyBytes: number
  /** How long a client may take to send a request. */
  readonly requestMs: number
  /** Requests per minute of one caller. */
  readonly perMinute: number
  readonly loginsPerMinute: number
  readonly streams: number
  /** How many proxies in front of the server are trusted for the client's address. */
  readonly trustedProxies: number
}

/** Everything the server is made of; `main` assembles it, tests assemble it differently. */
export interface ServerParts extends AuthParts {
  readonly version: string
  readonly log: FastifyBaseLogger
  readonly clock: Clock
  /** Takes secrets out of a text that leaves the process. */
  readonly scrub: (text: string) => string
  readonly limits: Limits
  /** How browsers reach this server, such as http://127.0.0.1:8080. Known only once it listens. */
  readonly publicUrl: () => string
  /** Whether the login without password is offered; even then only to loopback. */
  readonly devLogin: boolean
  readonly sessionLifetimeMs: number
  /** Where the built console is; may be filled after the start. */
  readonly consoleDir: string
  readonly identity: IdentityUseCases
  readonly idempotency: IdempotencyKeys
  readonly events: Events
  readonly board: StatusBoard
  readonly decisions: Decisions
  readonly readiness: Readiness
  readonly config: () => ConfigEntryView[]
  readonly metrics: {
    readonly contentType: string
    text(): Promise<string>
    request(facts: { method: string; route: string; status: number; ms: number }): void
  }
  /** Routes of the domains, below /api/v1. */
  readonly routes?: readonly Routes[]
  /** What the routes of the domains are about, for the reference. */
  readonly tags?: readonly Tag[]
}

/** A group of routes. */
export interface Tag {
  readonly name: string
  readonly description: string
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** Adds routes below /api/v1. */
export type Routes = (app: App) => void
