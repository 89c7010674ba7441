import type { Draft, KubeObject } from '../../../kube/index.ts'

/** The fields of Shoots that Caelus writes or reads. */
export interface Shoot extends KubeObject {
  readonly spec: ShootSpec
  readonly status?: ShootState
}

export type ShootDraft = Draft<Shoot> & { readonly metadata: { readonly name: string; readonly namespace: string } }

export interface ShootSpec {
  readonly cloudProfile?: { readonly kind: string; readonly name: string }
  readonly region?: string
  readonly seedName?: string
  readonly credentialsBindingName?: string
  readonly purpose?: string
  readonly kubernetes: { readonly version: string }
  readonly networking?: {
    readonly type?: string
    readonly nodes?: string
    readonly pods?: string
    readonly services?: string
  }
  readonly hibernation?: { readonly enabled?: boolean }
  readonly maintenance?: {
    readonly autoUpdate?: { readonly kubernetesVersion?: boolean; readonly machineImageVersion?: boolean }
    readonly timeWindow?: { readonly begin: string; readonly end: string }
  }
  readonly provider: { readonly type: string; readonly workers?: readonly ShootWorker[] }
}

export interface ShootWorker {
  readonly name: string
  readonly machine: { readonly type: string; readonly image?: { readonly name: string; readonly version?: string } }
  readonly minimum: number
  readonly maximum: number
  readonly maxSurge?: number | string
  readonly maxUnavailable?: number | string
}

export interface ShootState {
  readonly observedGeneration?: number
  readonly technicalID?: string
  readonly hibernated?: boolean
  readonly lastOperation?: {
    readonly type: string
    readonly state: string
    readonly progress: number
    readonly description: string
    readonly lastUpdateTime?: string
  }
  readonly lastErrors?: readonly {
    readonly description: string
    readonly codes?: readonly string[]
    readonly taskID?: string
    readonly lastUpdateTime?: string
  }[]
  readonly conditions?: readonly {
    readonly type: string
    readonly status: string
    readonly reason?: string
    readonly message?: string
    readonly codes?: readonly string[]
    readonly lastTransitionTime?: string
  }[]
  readonly credentials?: {
    readonly rotation?: Readonly<
      Record<
        string,
        | { readonly phase?: string; readonly lastInitiationTime?: string; readonly lastCompletionTime?: string }
        | undefined
      >
    >
  }
  readonly advertisedAddresses?: readonly { readonly name: string; readonly url: string }[]
}

export const CLUSTER_ID = 'fundament.io/cluster-id'
export const ORGANIZATION_ID = 'fundament.io/organization-id'
export const CLUSTER_NAME = 'fundament.io/cluster-name'
export const FENCE = 'caelus.io/fence'
/** The id of the operation that was last asked for. */
export const OPERATION_ID = 'caelus.io/operation'
export const GARDENER_OPERATION = 'gardener.cloud/operation'
export const CONFIRM_DELETION = 'confirmation.gardener.cloud/deletion'
