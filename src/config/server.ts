import { bytes, duration, hostname, integer, url } from './kinds.ts'
import { insecureUrl } from './loopback.ts'
import { section, type ValuesOf } from './section.ts'
import { optional, variable } from './variable.ts'

const second = 1000
const minute = 60 * second

export const SERVER = section({
  title: 'Server',
  readBy: '`up`, `api`, the workers and controllers',
  variables: {
    host: variable(
      'CAELUS_HOST',
      hostname,
      '127.0.0.1',
      'Address to listen on; workers and controllers answer probes and `/metrics` there. `0.0.0.0` or `::` to be reached from elsewhere.',
    ),
    port: variable(
      'CAELUS_PORT',
      integer(0, 65_535),
      '8080',
      'Port to listen on; 0 picks a free one. If the default is taken, a free one is picked and printed.',
    ),
    publicUrl: optional(
      'CAELUS_PUBLIC_URL',
      url('http', 'https'),
      'How browsers reach the console, if not by host and port: for redirects, cookies and the check of Origin.',
    ),
    trustProxy: variable(
      'CAELUS_TRUST_PROXY',
      integer(0, 8),
      '0',
      'How many proxies in front of the server are trusted for the address of the client (X-Forwarded-For).',
    ),
    bodyLimit: variable('CAELUS_BODY_LIMIT', bytes(1024, 64 * 1024 ** 2), '1MiB', 'The largest request body.'),
    requestTimeout: variable(
      'CAELUS_REQUEST_TIMEOUT',
      duration(second, 10 * minute),
      '30s',
      'How long a client may take to send a request.',
    ),
    rateLimit: variable(
      'CAELUS_RATE_LIMIT',
      integer(1, 1_000_000),
      '600',
      'Requests per minute of one user, with all their tokens and sessions. One address may send five times as many.',
    ),
    loginRateLimit: variable(
      'CAELUS_LOGIN_RATE_LIMIT',
      integer(1, 10_000),
      '20',
      'Attempts per minute and address to log in.',
    ),
    maxStreams: variable(
      'CAELUS_MAX_STREAMS',
      integer(1, 100_000),
      '500',
      'Event streams open at once in one process. One user may have a tenth of them, and ten at least.',
    ),
    shutdownGrace: variable(
      'CAELUS_SHUTDOWN_GRACE',
      duration(0, 10 * minute),
      '20s',
      'How long running requests and reconciles may finish after SIGTERM.',
    ),
  },
  check: ({ publicUrl }) => [insecureUrl('CAELUS_PUBLIC_URL', publicUrl)],
})

export type Server = ValuesOf<typeof SERVER>
