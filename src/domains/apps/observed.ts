/*
 * What `observe` found, in the words that `decide` thinks with. Each part is a union over `is`, so that a new case does not
 * compile until the decision knows it.
 */

/** What keeps a terminating namespace from going. */
export interface Blocker {
  readonly kind: 'object' | 'namespace' | 'webhook' | 'apiService'
  /** As people look for it: `PersistentVolumeClaim data`, `v1beta1.metrics.k8s.io`. */
  readonly name: string
  readonly finalizer?: string
  readonly why: string
}

export type NamespaceSeen =
  | { readonly is: 'absent' }
  /** `differs`: names what of the platform's objects in it is not as it should be. */
  | { readonly is: 'active'; readonly differs?: readonly string[] }
  | { readonly is: 'terminating'; readonly since: number; readonly blockers: readonly Blocker[] }
  /** It exists without our label, or with another deployment's. */
  | { readonly is: 'foreign'; readonly label?: string }

export const PENDING_KINDS = ['install', 'upgrade', 'rollback'] as const
export type PendingKind = (typeof PENDING_KINDS)[number]

/** What the newest record of the release says, and what its last manifest holds. */
interface ReleaseFacts {
  readonly revision: number
  /** Names chart, template and values of that revision; absent when it was not us who made it. */
  readonly digest?: string
  /** The PersistentVolumeClaims in its manifest, by name. */
  readonly claims: readonly string[]
}

export type ReleaseSeen =
  | { readonly is: 'absent' }
  | ({ readonly is: 'deployed'; readonly updatedAt: number } & ReleaseFacts)
  | ({ readonly is: 'failed' } & ReleaseFacts)
  | ({ readonly is: 'pending'; readonly kind: PendingKind } & ReleaseFacts)
  | ({ readonly is: 'superseded' } & ReleaseFacts)
  | ({ readonly is: 'uninstalling' } & ReleaseFacts)
  /** There are records. Deleting need not know what they say; anything else has to. */
  | { readonly is: 'unread'; readonly because: string }

/** Why something is not healthy, captured before anything is rolled back. */
export interface Diagnostics {
  readonly code: 'ImageNeverReady' | 'NeverHealthy' | 'QuotaExceeded'
  readonly message: string
}

export type HealthSeen =
  | { readonly is: 'ready' }
  | {
      readonly is: 'progressing'
      readonly because: string
      /** No replica answers. While some do, it is a rollout, a restart or a change of scale. */
      readonly isDown?: boolean
      /** Everything that is not ready is watched: a change of its health wakes the deployment. */
      readonly isWatched?: boolean
      /** Absent: nothing is known but that it takes time. */
      readonly diagnostics?: Diagnostics
    }
  | { readonly is: 'failing'; readonly diagnostics: Diagnostics }

/** A field that is meant to be another's: the upgrade leaves it out of what it applies. */
export interface HandedOver {
  /** `Deployment/web`. */
  readonly object: string
  /** As `pathText` prints it: `spec.replicas`. */
  readonly path: string
  readonly owner: string
  readonly why?: string
  /** The rule of the template by which it is ignored, if it is by one. */
  readonly rule?: string
}

/** A field that differs from the stored manifest and that a rule of the template covers. */
export interface Ignored {
  readonly object: string
  readonly path: string
  readonly rule: string
}

/** What differs from the stored manifest and cannot be taken back: the API server refuses it. It blocks nothing. */
export interface Unrepairable {
  readonly object: string
  /** Absent: the object is gone and cannot be created again. */
  readonly path?: string
  /** A digest of the value that we want there: while a new manifest wants the same, it leaves the field out. */
  readonly ours?: string
  readonly because: string
}

/** An earlier revision that was healthy. */
export interface Fallback {
  readonly revision: number
  readonly claims: readonly string[]
}

/** An object of the release that a failed revision has brought, and that what comes next does not have. */
export interface Stray {
  /** `ConfigMap/extra`. */
  readonly object: string
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  /** This one is deleted, and none that took its name since. */
  readonly uid: string
}

/**
 * Helm compares with one revision alone: once another one has begun, it would not remember these. Claims, and what takes
 * claims with it, are never among them.
 */
export interface StraysSeen {
  readonly beforeUpgrade: readonly Stray[]
  readonly beforeRollBack: readonly Stray[]
}

export interface DriftSeen {
  /** Objects with fields of ours that another writer changed. */
  readonly edited: readonly string[]
  /** Objects of the stored manifest that are gone. */
  readonly missing: readonly string[]
  readonly handedOver: readonly HandedOver[]
  readonly ignored: readonly Ignored[]
  readonly unrepairable: readonly Unrepairable[]
}

export interface Observed {
  readonly namespace: NamespaceSeen
  readonly release: ReleaseSeen
  readonly health: HealthSeen
  readonly drift: DriftSeen
  /** Looked for only after a rollout that failed. */
  readonly fallback?: Fallback
  /** Absent: there are none. */
  readonly strays?: StraysSeen
}

export const NO_DRIFT: DriftSeen = { edited: [], missing: [], handedOver: [], ignored: [], unrepairable: [] }
