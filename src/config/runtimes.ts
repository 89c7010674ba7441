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
      'What kind of cluster runs the class runtimes; weighs in the choice of their templates.',
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
      'Where functions with telemetry send it. Without it they are not told.',
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
      'Left-over objects that may be deleted within a minute, in the whole cluster; then deletion stops itself.',
    ),
    stability: variable(
      'CAELUS_RUNTIMES_STABILITY',
      duration(0, day),
      '3m',
      'How long a recommendation must stay the same before it is put into effect.',
    ),
    cooldown: variable(
      'CAELUS_RUNTIMES_COOLDOWN',
      duration(0, day),
      '2m',
      'How long after a change of a function the next one may come.',
    ),
    maxReplicas: variable(
      'CAELUS_RUNTIMES_MAX_REPLICAS',
      integer(1, 10_000),
      '20',
      'No recommendation makes more replicas of a function than this.',
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
      'Below this confidence memory and cpu are left alone.',
    ),
    budget: variable(
      'CAELUS_RUNTIMES_BUDGET',
      integer(1, 100_000),
      '10',
      'Recommendations that may be put into effect within a window, in the whole cluster.',
    ),
    budgetWindow: variable('CAELUS_RUNTIMES_BUDGET_WINDOW', duration(second, day), '1m', 'That window.'),
    prometheusUrl: optional(
      'CAELUS_RUNTIMES_PROMETHEUS_URL',
      url('http', 'https'),
      'Prometheus that knows load and use of the functions. Without it nothing is recommended.',
    ),
    prometheusInterval: variable(
      'CAELUS_RUNTIMES_PROMETHEUS_INTERVAL',
      duration(second, day),
      '1m',
      'How often it is asked.',
    ),
    prometheusTimeout: variable(
      'CAELUS_RUNTIMES_PROMETHEUS_TIMEOUT',
      duration(100, minute),
      '5s',
      'How long it may take to answer one query.',
    ),
    prometheusRange: variable(
      'CAELUS_RUNTIMES_PROMETHEUS_RANGE',
      duration(minute, day),
      '10m',
      'What the rates and averages of the default queries look back over.',
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
      'Name of this process in the election of the leader; of no two at once. Default: host and process id.',
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
