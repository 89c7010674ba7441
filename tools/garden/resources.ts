import type { CoreV1, KubeObject, Resource } from '../../src/kube/index.ts'
import type { ShootStatus } from './shoot-status.ts'

/** The kinds of Gardener as far as a garden of this folder writes or reads them. */
const kind = <T extends KubeObject>(
  group: 'core' | 'security',
  name: string,
  plural: string,
  namespaced: boolean,
): Resource<T> => ({
  group: `${group}.gardener.cloud`,
  version: group === 'core' ? 'v1beta1' : 'v1alpha1',
  kind: name,
  plural,
  namespaced,
})

export interface Project extends KubeObject {
  readonly spec: { readonly namespace?: string; readonly description?: string }
  readonly status?: { readonly phase?: 'Pending' | 'Ready' | 'Failed' | 'Terminating' }
}
export const Project = kind<Project>('core', 'Project', 'projects', false)

export interface Quota extends KubeObject {
  readonly spec: {
    readonly scope: { readonly apiVersion: string; readonly kind: string }
    readonly metrics: Readonly<Record<string, string>>
  }
}
export const Quota = kind<Quota>('core', 'Quota', 'quotas', true)

export interface ExpirableVersion {
  readonly version: string
  readonly classification?: 'preview' | 'supported' | 'deprecated'
  readonly expirationDate?: string
}

export interface MachineType {
  readonly name: string
  readonly cpu: string
  readonly gpu: string
  readonly memory: string
  readonly storage: { readonly class: 'standard' | 'premium'; readonly type: string; readonly size: string }
  readonly usable?: boolean
  readonly architecture?: 'amd64' | 'arm64'
}

export interface CloudProfile extends KubeObject {
  readonly spec: {
    readonly type: string
    readonly regions: ReadonlyArray<{ readonly name: string }>
    readonly kubernetes: { readonly versions: readonly ExpirableVersion[] }
    readonly machineTypes: readonly MachineType[]
    readonly machineImages: ReadonlyArray<{
      readonly name: string
      readonly versions: ReadonlyArray<
        ExpirableVersion & {
          readonly cri: ReadonlyArray<{ readonly name: 'containerd' }>
          readonly architectures?: ReadonlyArray<'amd64' | 'arm64'>
        }
      >
    }>
  }
}
export const CloudProfile = kind<CloudProfile>('core', 'CloudProfile', 'cloudprofiles', false)

export interface ControllerRegistration extends KubeObject {
  readonly spec: { readonly resources: ReadonlyArray<{ readonly kind: string; readonly type: string }> }
}
export const ControllerRegistration = kind<ControllerRegistration>(
  'core',
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
export const Seed = kind<Seed>('core', 'Seed', 'seeds', false)

export interface CredentialsBinding extends KubeObject {
  readonly provider: { readonly type: string }
  readonly credentialsRef: CoreV1.ObjectReference
  readonly quotas?: readonly CoreV1.ObjectReference[]
}
export const CredentialsBinding = kind<CredentialsBinding>(
  'security',
  'CredentialsBinding',
  'credentialsbindings',
  true,
)

/** A Secret that people of the project cannot read. */
export interface InternalSecret extends KubeObject {
  readonly type: 'Opaque'
  readonly data: Readonly<Record<string, string>>
}
export const InternalSecret = kind<InternalSecret>('core', 'InternalSecret', 'internalsecrets', true)

export interface Worker {
  readonly name: string
  readonly machine: { readonly type: string; readonly image?: { readonly name: string; readonly version?: string } }
  readonly minimum: number
  readonly maximum: number
  readonly maxSurge?: number | string
  readonly maxUnavailable?: number | string
}

export interface ShootSpec {
  readonly cloudProfile: { readonly kind: 'CloudProfile'; readonly name: string }
  readonly region: string
  readonly seedName?: string
  readonly credentialsBindingName?: string
  readonly kubernetes: { readonly version: string }
  readonly networking: { readonly type: string; readonly nodes: string }
  readonly provider: { readonly type: string; readonly workers: readonly Worker[] }
  readonly hibernation?: { readonly enabled?: boolean }
  readonly maintenance?: { readonly timeWindow?: { readonly begin: string; readonly end: string } }
}

export interface Shoot extends KubeObject {
  readonly spec: ShootSpec
  readonly status?: ShootStatus
}
export const Shoot = kind<Shoot>('core', 'Shoot', 'shoots', true)
