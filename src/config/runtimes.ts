import { boolean, duration, fraction, integer, namespace, namespaces, oneOf, text, url } from './kinds.ts'
import { section, type ValuesOf } from './section.ts'
import { optional, variable } from './variable.ts'

const second = 1000
const minute = 60 * second
const day = 24 * 60 * minute

export const RUNTIMES = section({
  title: 'Runtimes',
  readBy: '`up`, `api` and `run-controllers`',
  variables: {
    profile: variable(
      'CAELUS_RUNTIMES_PROFILE',
      oneOf('dev', 'edge', 'full'),
      'full',
      'Kind of control plane that runs the class runtimes; influences the choice of their templates.',
    ),
    hpa: optional(
      'CAELUS_RUNTIMES_HPA',
      boolean,
      'Whether functions with room between `min_scale` and `max_scale` get an autoscaler. Default: not in the profile dev, nor on the control plane of `caelus up`.',
    ),
    odgmImage: variable(
      'CAELUS_RUNTIMES_ODGM_IMAGE',
      text,
      'oaas/odgm:latest',
      'Image of the object data grid manager that runtimes with the addon odgm get.',
    ),
    odgmPullPolicy: variable(
      'CAELUS_RUNTIMES_ODGM_PULL_POLICY',
      oneOf('Always', 'IfNotPresent', 'Never'),
      'IfNotPresent',
      'When nodes pull that image.',
    ),
    otlpEndpoint: optional(
      'CAELUS_RUNTIMES_OTLP_ENDPOINT',
      url('http', 'https'),
      'OTLP endpoint that functions with telemetry receive as a variable. Default: they receive none.',
    ),
    progressTimeout: variable(
      'CAELUS_RUNTIMES_PROGRESS_TIMEOUT',
      duration(second, day),
      '10m',
      'A runtime that makes no progress for this long is degraded.',
    ),
    crashRecovery: variable(
      'CAELUS_RUNTIMES_CRASH_RECOVERY',
      duration(second, day),
      '1m',
      'A container that crashed counts as recovered once it has run this long.',
    ),
    orphansPerMinute: variable(
      'CAELUS_RUNTIMES_ORPHANS_PER_MINUTE',
      integer(1, 100_000),
      '60',
      'Orphaned objects that may be deleted per minute in the whole control plane; further deletions wait.',
    ),
    stability: variable(
      'CAELUS_RUNTIMES_STABILITY',
      duration(0, day),
      '3m',
      'How long a recommendation must stay the same before it is applied.',
    ),
    cooldown: variable(
      'CAELUS_RUNTIMES_COOLDOWN',
      duration(0, day),
      '2m',
      'Shortest time between two changes of a function.',
    ),
    maxReplicas: variable(
      'CAELUS_RUNTIMES_MAX_REPLICAS',
      integer(1, 10_000),
      '20',
      'Most replicas of a function that a recommendation can lead to.',
    ),
    maxDelta: variable('CAELUS_RUNTIMES_MAX_DELTA', integer(1, 10_000), '5', 'The largest step in replicas at once.'),
    maxAge: variable(
      'CAELUS_RUNTIMES_MAX_AGE',
      duration(second, day),
      '10m',
      'Recommendations older than this are ignored.',
    ),
    minConfidence: variable(
      'CAELUS_RUNTIMES_MIN_CONFIDENCE',
      fraction,
      '0.5',
      'Recommendations for memory and cpu with a lower confidence are ignored.',
    ),
    budget: variable(
      'CAELUS_RUNTIMES_BUDGET',
      integer(1, 100_000),
      '10',
      'Recommendations that may be applied within a window in the whole control plane.',
    ),
    budgetWindow: variable('CAELUS_RUNTIMES_BUDGET_WINDOW', duration(second, day), '1m', 'Length of that window.'),
    prometheusUrl: optional(
      'CAELUS_RUNTIMES_PROMETHEUS_URL',
      url('http', 'https'),
      'URL of the Prometheus with the load and usage of functions. Without it nothing is recommended.',
    ),
    prometheusInterval: variable(
      'CAELUS_RUNTIMES_PROMETHEUS_INTERVAL',
      duration(second, day),
      '1m',
      'How often Prometheus is queried.',
    ),
    prometheusTimeout: variable(
      'CAELUS_RUNTIMES_PROMETHEUS_TIMEOUT',
      duration(100, minute),
      '5s',
      'Timeout of one query.',
    ),
    prometheusRange: variable(
      'CAELUS_RUNTIMES_PROMETHEUS_RANGE',
      duration(minute, day),
      '10m',
      'Range of the rates and averages in the default queries.',
    ),
    queryRps: optional(
      'CAELUS_RUNTIMES_QUERY_RPS',
      text,
      'PromQL for requests per second, by `namespace` and `pod`. Default: the rate of `http_requests_total`.',
    ),
    queryP99: optional(
      'CAELUS_RUNTIMES_QUERY_P99',
      text,
      'PromQL for the 99th percentile of the latency in ms. Default: from `http_request_duration_seconds_bucket`.',
    ),
    queryCpu: optional(
      'CAELUS_RUNTIMES_QUERY_CPU',
      text,
      'PromQL for millicores in use. Default: from `container_cpu_usage_seconds_total`.',
    ),
    queryMemory: optional(
      'CAELUS_RUNTIMES_QUERY_MEMORY',
      text,
      'PromQL for bytes in use. Default: from `container_memory_working_set_bytes`.',
    ),
    namespaces: optional(
      'CAELUS_RUNTIMES_NAMESPACE',
      namespaces,
      'The only namespaces whose class runtimes are converged, each with lists and watches of its own. Default: all of them.',
    ),
    identity: optional(
      'CAELUS_RUNTIMES_IDENTITY',
      text,
      'Identity of this process in the leader election; must be unique. Default: host and process id.',
    ),
    leaseNamespace: variable(
      'CAELUS_RUNTIMES_LEASE_NAMESPACE',
      namespace,
      'caelus-system',
      'Namespace of the Lease by which the leader is elected.',
    ),
  },
  check: ({ prometheusTimeout, prometheusInterval, maxAge, stability }) => [
    prometheusTimeout > prometheusInterval &&
      `CAELUS_RUNTIMES_PROMETHEUS_TIMEOUT (${prometheusTimeout} ms) must not exceed CAELUS_RUNTIMES_PROMETHEUS_INTERVAL (${prometheusInterval} ms): one round would run into the next`,
    maxAge < stability &&
      `CAELUS_RUNTIMES_MAX_AGE (${maxAge} ms) must not be less than CAELUS_RUNTIMES_STABILITY (${stability} ms): recommendations would be outdated before they are stable`,
  ],
})

export type RuntimesConfig = ValuesOf<typeof RUNTIMES>
