import { boolean, duration, fraction, integer, namespace, namespaces, oneOf, text, url } from './kinds.ts'
import { optional, variable, type Variable } from './variable.ts'

const second = 1000
const minute = 60 * second
const day = 24 * 60 * minute

/** What an installation decides once for all class runtimes. */
export const RUNTIMES_VARIABLES = {
  runtimesProfile: variable(
    'CAELUS_RUNTIMES_PROFILE',
    oneOf('dev', 'edge', 'full'),
    'full',
    'What kind of cluster runs the class runtimes; weighs in the choice of their templates.',
  ),
  runtimesHpa: optional(
    'CAELUS_RUNTIMES_HPA',
    boolean,
    'Whether functions with room between `min_scale` and `max_scale` get an autoscaler. Default: not in the profile dev, nor on the control plane of `caelus up`.',
  ),
  runtimesOdgmImage: variable(
    'CAELUS_RUNTIMES_ODGM_IMAGE',
    text,
    'oaas/odgm:latest',
    'Image of the object data grid manager that runtimes with the addon odgm get.',
  ),
  runtimesOdgmPullPolicy: variable(
    'CAELUS_RUNTIMES_ODGM_PULL_POLICY',
    oneOf('Always', 'IfNotPresent', 'Never'),
    'IfNotPresent',
    'When nodes pull that image.',
  ),
  runtimesOtlpEndpoint: optional(
    'CAELUS_RUNTIMES_OTLP_ENDPOINT',
    url('http', 'https'),
    'Where functions with telemetry send it. Without it they are not told.',
  ),
  runtimesProgressTimeout: variable(
    'CAELUS_RUNTIMES_PROGRESS_TIMEOUT',
    duration(second, day),
    '10m',
    'A runtime that makes no progress for this long is degraded.',
  ),
  runtimesCrashRecovery: variable(
    'CAELUS_RUNTIMES_CRASH_RECOVERY',
    duration(second, day),
    '1m',
    'A container that crashed counts as recovered once it has run this long.',
  ),
  runtimesOrphansPerMinute: variable(
    'CAELUS_RUNTIMES_ORPHANS_PER_MINUTE',
    integer(1, 100_000),
    '60',
    'Left-over objects that may be deleted within a minute, in the whole cluster; then deletion stops itself.',
  ),
  runtimesStability: variable(
    'CAELUS_RUNTIMES_STABILITY',
    duration(0, day),
    '3m',
    'How long a recommendation must stay the same before it is put into effect.',
  ),
  runtimesCooldown: variable(
    'CAELUS_RUNTIMES_COOLDOWN',
    duration(0, day),
    '2m',
    'How long after a change of a function the next one may come.',
  ),
  runtimesMaxReplicas: variable(
    'CAELUS_RUNTIMES_MAX_REPLICAS',
    integer(1, 10_000),
    '20',
    'No recommendation makes more replicas of a function than this.',
  ),
  runtimesMaxDelta: variable(
    'CAELUS_RUNTIMES_MAX_DELTA',
    integer(1, 10_000),
    '5',
    'The largest step in replicas at once.',
  ),
  runtimesMaxAge: variable(
    'CAELUS_RUNTIMES_MAX_AGE',
    duration(second, day),
    '10m',
    'Recommendations older than this are ignored.',
  ),
  runtimesMinConfidence: variable(
    'CAELUS_RUNTIMES_MIN_CONFIDENCE',
    fraction,
    '0.5',
    'Below this confidence memory and cpu are left alone.',
  ),
  runtimesBudget: variable(
    'CAELUS_RUNTIMES_BUDGET',
    integer(1, 100_000),
    '10',
    'Recommendations that may be put into effect within a window, in the whole cluster.',
  ),
  runtimesBudgetWindow: variable('CAELUS_RUNTIMES_BUDGET_WINDOW', duration(second, day), '1m', 'That window.'),
  runtimesPrometheusUrl: optional(
    'CAELUS_RUNTIMES_PROMETHEUS_URL',
    url('http', 'https'),
    'Prometheus that knows load and use of the functions. Without it nothing is recommended.',
  ),
  runtimesPrometheusInterval: variable(
    'CAELUS_RUNTIMES_PROMETHEUS_INTERVAL',
    duration(second, day),
    '1m',
    'How often it is asked.',
  ),
  runtimesPrometheusTimeout: variable(
    'CAELUS_RUNTIMES_PROMETHEUS_TIMEOUT',
    duration(100, minute),
    '5s',
    'How long it may take to answer one query.',
  ),
  runtimesPrometheusRange: variable(
    'CAELUS_RUNTIMES_PROMETHEUS_RANGE',
    duration(minute, day),
    '10m',
    'What the rates and averages of the default queries look back over.',
  ),
  runtimesQueryRps: optional(
    'CAELUS_RUNTIMES_QUERY_RPS',
    text,
    'PromQL for requests per second, by `namespace` and `pod`. Default: the rate of `http_requests_total`.',
  ),
  runtimesQueryP99: optional(
    'CAELUS_RUNTIMES_QUERY_P99',
    text,
    'PromQL for the 99th percentile of the latency in ms. Default: from `http_request_duration_seconds_bucket`.',
  ),
  runtimesQueryCpu: optional(
    'CAELUS_RUNTIMES_QUERY_CPU',
    text,
    'PromQL for millicores in use. Default: from `container_cpu_usage_seconds_total`.',
  ),
  runtimesQueryMemory: optional(
    'CAELUS_RUNTIMES_QUERY_MEMORY',
    text,
    'PromQL for bytes in use. Default: from `container_memory_working_set_bytes`.',
  ),
  runtimesNamespaces: optional(
    'CAELUS_RUNTIMES_NAMESPACE',
    namespaces,
    'The only namespaces whose class runtimes are converged, each with lists and watches of its own. Default: all of them.',
  ),
  runtimesIdentity: optional(
    'CAELUS_RUNTIMES_IDENTITY',
    text,
    'Name of this process in the election of the leader; of no two at once. Default: host and process id.',
  ),
  runtimesLeaseNamespace: variable(
    'CAELUS_RUNTIMES_LEASE_NAMESPACE',
    namespace,
    'caelus-system',
    'Namespace of the Lease by which the leader is elected.',
  ),
} as const satisfies Record<string, Variable<unknown>>
