import { path, url } from './kinds.ts'
import { section, type ValuesOf } from './section.ts'
import { optional, secret, variable } from './variable.ts'

export const INSTALLATION = section({
  title: 'Installation',
  readBy: 'every command',
  variables: {
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
  },
})

export type Installation = ValuesOf<typeof INSTALLATION>
