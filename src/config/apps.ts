import { boolean, duration, integer, keys, keysIn, path, text } from './kinds.ts'
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
      'Take charts from the local disk too, for development. On in `caelus up`, off elsewhere.',
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
  },
  secrets: ({ valuesKey }) => keysIn(valuesKey?.reveal() ?? ''),
})
