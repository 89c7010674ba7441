import type { KubeObject, Resource } from '../../../kube/index.ts'
import type { Shoot } from './shoot.ts'

/** The fields of Gardener's other kinds that Caelus writes or reads. */
export interface Project extends KubeObject {
  readonly spec?: { readonly namespace?: string }
  readonly status?: { readonly phase?: string }
}

export interface CredentialsBinding extends KubeObject {
  readonly provider?: { readonly type: string }
  readonly credentialsRef: {
    readonly apiVersion: string
    readonly kind: string
    readonly name: string
    readonly namespace: string
  }
}

export interface CloudProfile extends KubeObject {
  readonly spec: {
    readonly type: string
    readonly regions?: readonly { readonly name: string }[]
    readonly kubernetes: { readonly versions?: readonly ProfileVersion[] }
    readonly machineTypes?: readonly {
      readonly name: string
      readonly cpu: string
      readonly gpu: string
      readonly memory: string
      readonly usable?: boolean
    }[]
    readonly machineImages?: readonly {
      readonly name: string
      readonly versions?: readonly ProfileVersion[]
    }[]
  }
}

export interface ProfileVersion {
  readonly version: string
  readonly classification?: string
  readonly expirationDate?: string
}

const GROUP = { group: 'core.gardener.cloud', version: 'v1beta1' } as const

export const Shoots: Resource<Shoot> = { ...GROUP, kind: 'Shoot', plural: 'shoots', namespaced: true }
export const Projects: Resource<Project> = { ...GROUP, kind: 'Project', plural: 'projects', namespaced: false }
export const CloudProfiles: Resource<CloudProfile> = {
  ...GROUP,
  kind: 'CloudProfile',
  plural: 'cloudprofiles',
  namespaced: false,
}
export const CredentialsBindings: Resource<CredentialsBinding> = {
  group: 'security.gardener.cloud',
  version: 'v1alpha1',
  kind: 'CredentialsBinding',
  plural: 'credentialsbindings',
  namespaced: true,
}
