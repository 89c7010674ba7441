import { Type } from 'typebox'
import { Anything, defineCrd, type KubeObject, type Resource } from '../../src/kube/index.ts'

const GROUP = 'source.toolkit.fluxcd.io'

const status = Type.Object({
  observedGeneration: Type.Integer(),
  artifact: Type.Object({
    url: Type.String(),
    path: Type.String(),
    revision: Type.String(),
    digest: Type.String(),
    lastUpdateTime: Type.String(),
  }),
})

/** Where helm-controller learns which archive a release is made of: what it reads of it, and no more. */
export const HelmChart = defineCrd({
  group: GROUP,
  version: 'v1',
  kind: 'HelmChart',
  plural: 'helmcharts',
  scope: 'Namespaced',
  spec: Type.Object({ chart: Type.String(), version: Type.String() }),
  status,
})

/** helm-controller does not start where it cannot watch these. There are none. */
export const OCIRepository = defineCrd({
  group: GROUP,
  version: 'v1',
  kind: 'OCIRepository',
  plural: 'ocirepositories',
  scope: 'Namespaced',
  spec: Type.Object({ url: Anything }),
  status,
})

export interface HelmRelease extends KubeObject {
  readonly spec: object
  readonly status?: {
    readonly observedGeneration?: number
    readonly lastHandledReconcileAt?: string
    readonly conditions?: ReadonlyArray<{ readonly type: string; readonly status: string }>
  }
}

/** Its definition comes with helm-controller. */
export const HelmRelease: Resource<HelmRelease> = {
  group: 'helm.toolkit.fluxcd.io',
  version: 'v2',
  kind: 'HelmRelease',
  plural: 'helmreleases',
  namespaced: true,
}
