import type { CoreV1, KubeObject, Resource } from '../../src/kube/index.ts'

/** The kinds of Gardener that the operator of a garden writes, beside those that Caelus knows. */
const kind = <T extends KubeObject>(name: string, plural: string, namespaced: boolean): Resource<T> => ({
  group: 'core.gardener.cloud',
  version: 'v1beta1',
  kind: name,
  plural,
  namespaced,
})

export interface Quota extends KubeObject {
  readonly spec: {
    readonly scope: { readonly apiVersion: string; readonly kind: string }
    readonly metrics: Readonly<Record<string, string>>
  }
}
export const Quota = kind<Quota>('Quota', 'quotas', true)

export interface ControllerRegistration extends KubeObject {
  readonly spec: { readonly resources: ReadonlyArray<{ readonly kind: string; readonly type: string }> }
}
export const ControllerRegistration = kind<ControllerRegistration>(
  'ControllerRegistration',
  'controllerregistrations',
  false,
)

interface DnsProvider {
  readonly type: string
  readonly domain: string
  readonly credentialsRef: CoreV1.ObjectReference
}

export interface Seed extends KubeObject {
  readonly spec: {
    readonly provider: { readonly type: string; readonly region: string; readonly zones: readonly string[] }
    readonly ingress: { readonly domain: string; readonly controller: { readonly kind: string } }
    readonly networks: {
      readonly nodes: string
      readonly pods: string
      readonly services: string
      readonly shootDefaults: { readonly pods: string; readonly services: string }
    }
    readonly dns: {
      readonly provider: Omit<DnsProvider, 'domain'>
      readonly internal: DnsProvider
      readonly defaults: readonly DnsProvider[]
    }
  }
}
export const Seed = kind<Seed>('Seed', 'seeds', false)

/** A Secret that people of the project cannot read. */
export interface InternalSecret extends KubeObject {
  readonly type: 'Opaque'
  readonly data: Readonly<Record<string, string>>
}
export const InternalSecret = kind<InternalSecret>('InternalSecret', 'internalsecrets', true)
