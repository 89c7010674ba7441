import type { At, Cache, ConfigMap } from '../../src/kube/index.ts'
import type { Echo } from './echo.ts'

/** The desired and the actual state, read from the caches alone. */
export interface Observed {
  readonly echo: Echo | undefined
  readonly child: ConfigMap | undefined
}

export interface Caches {
  readonly echoes: Cache<Echo>
  /** Only those that carry our label. */
  readonly children: Cache<ConfigMap>
}

export const observe = ({ echoes, children }: Caches, at: At): Observed => ({
  echo: echoes.get(at),
  child: children.get(at),
})
