/** The status of a Shoot as far as gardenlet writes it. */
export interface ShootStatus {
  readonly conditions?: readonly ShootCondition[]
  readonly constraints?: readonly ShootCondition[]
  readonly gardener?: { readonly id: string; readonly name: string; readonly version: string }
  readonly hibernated?: boolean
  readonly lastOperation?: LastOperation
  readonly lastErrors?: readonly LastError[]
  readonly observedGeneration?: number
  readonly retryCycleStartTime?: string
  readonly seedName?: string
  readonly technicalID?: string
  /** Set when the first operation begins. */
  readonly uid?: string
  readonly advertisedAddresses?: ReadonlyArray<{ readonly name: string; readonly url: string }>
  readonly credentials?: { readonly rotation?: Rotation }
}

export type OperationType = 'Create' | 'Reconcile' | 'Delete'

export interface LastOperation {
  readonly type: OperationType
  readonly state: 'Pending' | 'Processing' | 'Succeeded' | 'Error' | 'Failed'
  readonly progress: number
  readonly description: string
  readonly lastUpdateTime: string
}

export interface LastError {
  readonly description: string
  readonly codes?: readonly string[]
  readonly taskID?: string
  readonly lastUpdateTime?: string
}

export interface ShootCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown' | 'Progressing'
  readonly reason: string
  readonly message: string
  readonly codes?: readonly string[]
  readonly lastTransitionTime: string
  readonly lastUpdateTime: string
}

/** In two phases: both credentials are valid once it is prepared, until it is completed. */
export interface PhasedRotation {
  readonly phase?: 'Preparing' | 'Prepared' | 'Completing' | 'Completed'
  readonly lastInitiationTime?: string
  readonly lastInitiationFinishedTime?: string | null
  readonly lastCompletionTriggeredTime?: string | null
  readonly lastCompletionTime?: string
  /** Of the key of etcd alone. */
  readonly autoCompleteAfterPrepared?: boolean | null
}

/** In one step. */
export interface PlainRotation {
  readonly lastInitiationTime?: string
  readonly lastCompletionTime?: string
}

export interface Rotation {
  readonly certificateAuthorities?: PhasedRotation
  readonly serviceAccountKey?: PhasedRotation
  readonly etcdEncryptionKey?: PhasedRotation
  readonly observability?: PlainRotation
  readonly sshKeypair?: PlainRotation
}

/** A change of the status as a merge patch: null removes. */
export type StatusPatch = { readonly [Field in keyof ShootStatus]?: ShootStatus[Field] | null }
