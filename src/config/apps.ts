import {
  boolean,
  cidrs,
  domains,
  duration,
  fieldManagers,
  integer,
  keys,
  keysIn,
  namespaces,
  oneOf,
  path,
  quantities,
  text,
} from './kinds.ts'
import { section } from './section.ts'
import { optional, secret, variable } from './variable.ts'

const second = 1000
const minute = 60 * second

export const APPS = section({
  title: 'Apps',
  readBy: '`up`, `api`, and the worker of apps',
  variables: {
    valuesKey: secret(
      'CAELUS_VALUES_KEY',
      keys,
      'Seals the write-only values of apps; the same in all processes. To rotate, put a new key in front, run `caelus rotate-values-key`, then drop the old one. `caelus up` makes one.',
    ),
    helmBin: optional(
      'HELM_BIN',
      path,
      'Path of Helm 4, or of Helm 3.16 or later, with limits (docs/domains/apps.md). Without it `caelus up` finds or builds one; other commands look for `helm` on the PATH.',
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
      'Take charts from the local disk and from servers on loopback too, for development. On in `caelus up`, off elsewhere.',
    ),
    chartProvenance: variable(
      'CAELUS_CHART_PROVENANCE',
      oneOf('off', 'required'),
      'off',
      'Whether charts of every source must be signed (`.prov` files of Helm). Where it is off, a source may still require it: `caelus set-chart-source --verification required`.',
    ),
    chartKeyring: optional(
      'CAELUS_CHART_KEYRING',
      path,
      'File with the public OpenPGP keys that sign charts, in ASCII armor, for sources without keys of their own. It is read whenever a chart is verified.',
    ),
    previewConcurrency: variable(
      'CAELUS_PREVIEW_CONCURRENCY',
      integer(1, 64),
      '2',
      'How many previews one API process makes at once; each takes a Helm process of up to 160 MiB. Users take turns.',
    ),
    previewTimeout: variable(
      'CAELUS_PREVIEW_TIMEOUT',
      duration(second, 10 * minute),
      '30s',
      'How long a preview may wait for its turn, and then how long it may take.',
    ),
    renderTimeout: variable(
      'CAELUS_RENDER_TIMEOUT',
      duration(second, 10 * minute),
      '30s',
      'How long the templates of a chart may take.',
    ),
    driftInterval: variable(
      'CAELUS_DRIFT_INTERVAL',
      duration(10 * second, 7 * 24 * 60 * minute),
      '10m',
      'How often every app is checked for drift. Edits and deletions are noticed at once.',
    ),
    allowedManagers: variable(
      'CAELUS_APPS_ALLOWED_MANAGERS',
      fieldManagers,
      'none',
      'Field managers whose changes of apps are not drift, such as `istio*=metadata.annotations`: the name, with `*` at the end for any rest, and the field that it may own with everything below it.',
    ),
    deploymentsPerUser: variable(
      'CAELUS_APPS_PER_USER',
      integer(0, 1_000_000),
      '50',
      'The most deployments of one user. An admin may set another limit for a user.',
    ),
    keepRevisions: variable(
      'CAELUS_APPS_KEEP_REVISIONS',
      integer(1, 1000),
      '20',
      'How many generations of an app are kept, the present one among them: to be seen, and to go back to.',
    ),
    reservedDomains: variable(
      'CAELUS_APPS_RESERVED_DOMAINS',
      domains,
      'localhost,svc,cluster.local',
      'Domains that cannot be ordered, with everything below them. The host of CAELUS_PUBLIC_URL is always one.',
    ),
    allowedDomains: optional(
      'CAELUS_APPS_ALLOWED_DOMAINS',
      domains,
      'The only domains that may be ordered, with everything below them, beside those that an admin assigned to a user. Default: all.',
    ),
    podSecurity: variable(
      'CAELUS_APPS_POD_SECURITY',
      oneOf('privileged', 'baseline', 'restricted'),
      'baseline',
      'Pod Security Standard that the pods of apps must meet.',
    ),
    quota: variable(
      'CAELUS_APPS_QUOTA',
      quantities,
      'pods=50,requests.cpu=8,requests.memory=16Gi,requests.storage=200Gi,persistentvolumeclaims=20,services.loadbalancers=1,services.nodeports=10',
      'ResourceQuota of each app.',
    ),
    defaultRequests: variable(
      'CAELUS_APPS_DEFAULT_REQUESTS',
      quantities,
      'cpu=50m,memory=128Mi',
      'Requests of containers that name none, by a LimitRange. A quota of requests refuses pods without them.',
    ),
    networkPolicy: variable(
      'CAELUS_APPS_NETWORK_POLICY',
      oneOf('isolated', 'open'),
      'isolated',
      'Isolated apps cannot connect to each other, by a NetworkPolicy; `open` makes none.',
    ),
    ingressNamespaces: optional(
      'CAELUS_APPS_INGRESS_NAMESPACES',
      namespaces,
      'Namespaces that may connect to isolated apps, such as that of the ingress controller. Default: all that hold no app.',
    ),
    ingressCidrs: variable(
      'CAELUS_APPS_INGRESS_CIDRS',
      cidrs,
      'none',
      'Networks that may connect to isolated apps, such as that of the nodes if the ingress controller uses the host network.',
    ),
    egressExcept: variable(
      'CAELUS_APPS_EGRESS_EXCEPT',
      cidrs,
      '169.254.169.254/32,fd00:ec2::254/128',
      'Networks that isolated apps may not connect to. Default: the metadata services of clouds.',
    ),
  },
  check: ({ quota, defaultRequests }) =>
    ['cpu', 'memory'].map(
      (name) =>
        `requests.${name}` in quota &&
        !(name in defaultRequests) &&
        `CAELUS_APPS_DEFAULT_REQUESTS must name ${name}, because CAELUS_APPS_QUOTA limits requests.${name}: pods without a request would be refused`,
    ),
  secrets: ({ valuesKey }) => keysIn(valuesKey?.reveal() ?? ''),
})
