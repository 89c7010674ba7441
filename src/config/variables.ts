import { boolean, bytes, claim, duration, hostname, integer, key, keys, oneOf, path, text, url } from './kinds.ts'
import { RUNTIMES_VARIABLES } from './runtimes.ts'
import { optional, secret, variable, type Variable } from './variable.ts'

const second = 1000
const minute = 60 * second
const day = 24 * 60 * minute

/** Every variable the program reads, in the order of the reference page. */
export const VARIABLES = {
  databaseUrl: secret(
    'DATABASE_URL',
    url('postgres', 'postgresql'),
    'PostgreSQL to use. Without it `caelus up` runs an embedded one under the data directory; other commands need it.',
  ),
  kubeconfig: optional(
    'CAELUS_KUBECONFIG',
    path,
    'Kubernetes control plane to converge. Without it `caelus up` starts a local control plane.',
  ),
  dataDir: variable('CAELUS_DATA_DIR', path, '.caelus', 'Where `caelus up` keeps everything it makes.'),
  cacheDir: optional(
    'CAELUS_CACHE_DIR',
    path,
    'Where built programs such as kube-apiserver are kept between checkouts. Default: `~/.cache/caelus`.',
  ),

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
    'How many proxies in front are believed about the address of the client (X-Forwarded-For).',
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
    'Requests per minute of one token or session; without either, of one address.',
  ),
  loginRateLimit: variable(
    'CAELUS_LOGIN_RATE_LIMIT',
    integer(1, 10_000),
    '20',
    'Attempts per minute and address to log in.',
  ),
  maxStreams: variable('CAELUS_MAX_STREAMS', integer(1, 100_000), '500', 'Event streams open at once in one process.'),
  shutdownGrace: variable(
    'CAELUS_SHUTDOWN_GRACE',
    duration(0, 10 * minute),
    '20s',
    'How long running requests and reconciles may finish after SIGTERM.',
  ),

  devLogin: optional(
    'CAELUS_DEV_LOGIN',
    boolean,
    'A login without password, answered on loopback only. On in `caelus up`, off elsewhere.',
  ),
  sessionKey: secret(
    'CAELUS_SESSION_KEY',
    key,
    'Encrypts session cookies; the same in all replicas. Without it sessions end with the process. Make one with `openssl rand -base64 32`.',
  ),
  sessionLifetime: variable(
    'CAELUS_SESSION_LIFETIME',
    duration(minute, 30 * 24 * 60 * minute),
    '12h',
    'How long a browser stays logged in.',
  ),
  oidcIssuer: optional(
    'CAELUS_OIDC_ISSUER',
    url('http', 'https'),
    'OpenID Connect issuer whose tokens are accepted. http only on loopback.',
  ),
  oidcAudience: optional(
    'CAELUS_OIDC_AUDIENCE',
    text,
    'Audience that bearer tokens must carry. Default: the client id.',
  ),
  oidcClientId: optional('CAELUS_OIDC_CLIENT_ID', text, 'Client id for login in the browser (code flow with PKCE).'),
  oidcClientSecret: secret('CAELUS_OIDC_CLIENT_SECRET', text, 'Secret of that client; public clients have none.'),
  oidcScopes: variable('CAELUS_OIDC_SCOPES', text, 'openid profile email', 'Scopes asked for at login.'),
  oidcAdmin: optional(
    'CAELUS_OIDC_ADMIN',
    claim,
    'Claim that makes a user an admin, such as `groups=platform-team`. Without it admins are named in the database.',
  ),

  concurrency: variable(
    'CAELUS_WORKER_CONCURRENCY',
    integer(1, 1000),
    '8',
    'How many reconciles one worker runs at once.',
  ),
  tenantShare: variable(
    'CAELUS_WORKER_TENANT_SHARE',
    integer(1, 1000),
    '4',
    'How many of them may belong to one tenant.',
  ),
  workerLease: variable(
    'CAELUS_WORKER_LEASE',
    duration(second, 10 * minute),
    '15s',
    'A claim that is not renewed for this long expires, and another worker may take it.',
  ),
  workerPoll: variable(
    'CAELUS_WORKER_POLL',
    duration(100, 10 * minute),
    '5s',
    'How often a worker asks for due work when nothing notified it.',
  ),
  reconcileTimeout: variable(
    'CAELUS_RECONCILE_TIMEOUT',
    duration(second, 60 * minute),
    '10m',
    'The longest one reconcile may take.',
  ),

  keepDecisions: variable(
    'CAELUS_KEEP_DECISIONS',
    duration(60 * minute, 3650 * day),
    '30d',
    'How long decisions are kept in the database. All processes of one installation should have the same value.',
  ),
  keepHistory: variable(
    'CAELUS_KEEP_HISTORY',
    duration(60 * minute, 3650 * day),
    '7d',
    'How long finished reconciles are kept in the database, for the history of deployments.',
  ),
  keepIdempotencyKeys: variable(
    'CAELUS_KEEP_IDEMPOTENCY_KEYS',
    duration(60 * minute, 365 * day),
    '24h',
    'How long a repeated request with the same Idempotency-Key gets the first response again.',
  ),

  valuesKey: secret(
    'CAELUS_VALUES_KEY',
    keys,
    'Seals the write-only values of apps; the same in all processes. To rotate, put a new key in front, run `caelus rotate-values-key`, then drop the old one. `caelus up` makes one.',
  ),
  helmBin: optional(
    'HELM_BIN',
    path,
    'Helm 4, or 3.16 and later, which keeps fewer promises (docs/domains/apps.md). Without it `caelus up` finds or builds one; other commands look for `helm` on the PATH.',
  ),
  ingressClass: variable('CAELUS_INGRESS_CLASS', text, 'nginx', 'Ingress class that every app gets.'),
  chartCacheDir: optional(
    'CAELUS_CHART_CACHE_DIR',
    path,
    'Where fetched charts are kept. Default: `charts` in the data directory.',
  ),
  localCharts: optional(
    'CAELUS_LOCAL_CHARTS',
    boolean,
    'Take charts from the local disk too, for development. On in `caelus up`, off elsewhere.',
  ),
  driftInterval: variable(
    'CAELUS_DRIFT_INTERVAL',
    duration(10 * second, 7 * 24 * 60 * minute),
    '10m',
    'How often every app is checked for drift. Edits and deletions are noticed at once.',
  ),

  ...RUNTIMES_VARIABLES,

  url: optional(
    'CAELUS_URL',
    url('http', 'https'),
    'Server the remote commands talk to. Default: the one started by `caelus up` here.',
  ),
  token: secret(
    'CAELUS_TOKEN',
    text,
    'API token of the remote commands. Default: the one written by `caelus up` here.',
  ),

  logLevel: variable(
    'CAELUS_LOG_LEVEL',
    oneOf('debug', 'info', 'warn', 'error', 'silent'),
    'info',
    'The least important log lines that are written.',
  ),
  logFormat: variable(
    'CAELUS_LOG_FORMAT',
    oneOf('auto', 'json', 'pretty'),
    'auto',
    'How log lines look: json for machines, pretty for people; auto looks whether stderr is a terminal.',
  ),
  otlpEndpoint: optional(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    url('http', 'https'),
    'Where traces are sent (OTLP over HTTP). Without it there is no tracing. Other OTEL_ variables work as their specification says.',
  ),
  otlpHeaders: secret('OTEL_EXPORTER_OTLP_HEADERS', text, 'Headers sent with traces, often a credential.'),
  otelServiceName: variable('OTEL_SERVICE_NAME', text, 'caelus', 'Name of this service in traces.'),
} as const satisfies Record<string, Variable<unknown>>
