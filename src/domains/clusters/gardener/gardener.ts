import type { Service } from '../../../kernel/index.ts'
import type { At, Via } from '../../../kube/index.ts'
import type { Shoot, ShootDraft } from './shoot.ts'

/** The right to write: the fence of the claim, and a check that throws once its lease may have lapsed. */
export interface FencedWrite {
  readonly fence: number
  readonly assertLeased: () => void
  readonly signal: AbortSignal
}

export interface ProjectDraft {
  readonly name: string
  readonly organizationId: string
}

/** What Gardener offers, as its CloudProfile says. */
export interface Catalogue {
  readonly regions: readonly string[]
  readonly versions: readonly KubernetesVersion[]
  readonly machineTypes: readonly MachineType[]
  readonly machineImages: readonly { readonly name: string; readonly versions: readonly string[] }[]
}

export interface KubernetesVersion {
  readonly version: string
  readonly classification: 'preview' | 'supported' | 'deprecated' | 'expired'
  readonly expiresAt: number | null
}

export interface MachineType {
  readonly name: string
  readonly cpu: string
  readonly gpu: string
  readonly memory: string
  readonly isUsable: boolean
}

export interface Kubeconfig {
  readonly kubeconfig: string
  readonly expiresAt: number
}

/** Shoots of Caelus as the one watch last saw them, or as we last wrote them, whichever is newer. */
export interface ShootWatch extends Service {
  /** By the id of the cluster, or by the uid that its row knows; see `ownShoot` for twins and edited labels. */
  ofCluster(clusterId: string, uid?: string): Shoot | undefined
  all(): readonly Shoot[]
  /** Called with the id of the cluster whenever its Shoot was seen to change, appear or go, and how that was seen. */
  onChange(listener: (clusterId: string, via: Via) => void): () => void
  /** Whether the watch is connected: what is not there does not exist. */
  readonly isCurrent: boolean
}

/**
 * Gardener, as far as clusters need it. There is one client; `mock` runs it on an API server in memory, with stand-ins for
 * Gardener's own controllers.
 *
 * Every refusal is a failure of clusters (failures.ts) with the field and the supported values where Gardener names them.
 */
export interface Gardener {
  readonly mode: 'mock' | 'real'
  readonly shoots: ShootWatch
  /**
   * The namespace of the project, created where it is missing, with its credentials; undefined: Gardener has not made it
   * yet. Where the settings fix a namespace, that one.
   */
  ensureProject(project: ProjectDraft, write: FencedWrite): Promise<string | undefined>
  /**
   * Server-side apply under the fence. A Shoot of the name that belongs to another cluster is refused. What Gardener has
   * completed or raised is kept, and worker groups that the draft does not have are removed. The credentials binding is copied
   * into its project where it is missing.
   */
  apply(shoot: ShootDraft, write: FencedWrite): Promise<Shoot>
  /** What the server would make of it, with all of its admission; nothing is written. */
  dryRun(shoot: ShootDraft, signal: AbortSignal): Promise<Shoot>
  /** Sets annotations of this very Shoot under the fence. False: it is gone, or it has the id of this operation already. */
  annotate(
    shoot: Pick<Shoot, 'metadata'>,
    annotations: Readonly<Record<string, string>>,
    write: FencedWrite,
  ): Promise<boolean>
  /** Confirms the deletion and deletes this very Shoot. False: it was gone. */
  remove(shoot: Pick<Shoot, 'metadata'>, write: FencedWrite): Promise<boolean>
  /** Asks the server, not the watch. */
  find(at: At, signal: AbortSignal): Promise<Shoot | undefined>
  /** Asks the server for all Shoots of Caelus, not the watch. */
  list(signal: AbortSignal): Promise<readonly Shoot[]>
  catalogue(signal: AbortSignal): Promise<Catalogue>
  /** A kubeconfig of an administrator that ends soon. It is stored nowhere. */
  adminKubeconfig(at: At, seconds: number, signal: AbortSignal): Promise<Kubeconfig>
  /** Throws when Gardener's API does not answer. */
  ping(signal: AbortSignal): Promise<void>
}
