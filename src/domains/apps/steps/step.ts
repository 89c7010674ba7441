import type { KubeObject } from '../../../kube/index.ts'
import type { ReleaseTarget } from '../helm/port.ts'
import { fenced, type Holder } from '../fence.ts'
import type { ClusterReach } from '../helm/reach.ts'
import type { Observation } from '../observe.ts'
import { releaseOf, type AppsParts } from '../parts.ts'
import { grantedTo, type LoadedDeployment } from '../rows.ts'
import type { Step } from './types.ts'

/** The steps that change the world. */
export type Effect = Exclude<Step, { do: 'waitFor' | 'nothing' | 'refuse' }>
export type EffectOf<N extends Effect['do']> = Extract<Effect, { do: N }>

export interface StepContext {
  readonly parts: AppsParts
  readonly loaded: LoadedDeployment
  readonly sighting: Observation
  readonly fence: number
  /** A step before has made the namespace ours under this fence. Whoever took it from us since is named by its policy. */
  readonly hasEntered: boolean
  /** What the release reaches outside of its namespace, once the step has the rights for it. @default nothing */
  readonly cluster?: readonly ClusterReach[]
  /** Aborted when the lease or a lock is lost, or when the tenant wants it gone. */
  readonly signal: AbortSignal
}

/** What was done, as an Event tells it. */
export interface Done {
  /** PascalCase fact: `Installed`. */
  readonly reason: string
  readonly note: string
  /** What Helm has applied: its workloads are starting now. */
  readonly applied?: readonly KubeObject[]
  /** The namespace was created just now, and is ours: there is nothing in it to look at. */
  readonly isEmpty?: boolean
}

/** One step, in one file each. Every one may be cut off anywhere and run again: the next look decides anew. */
export type StepHandler<N extends Effect['do']> = (step: EffectOf<N>, context: StepContext) => Promise<Done>

export const holderOf = ({ loaded: { deployment }, fence }: StepContext): Holder => ({
  namespace: deployment.namespaceName,
  deploymentId: deployment.id,
  userId: deployment.userId,
  fence,
})

/** The release, touched on behalf of the lease. */
export const targetOf = ({ loaded, fence, cluster = [] }: StepContext): ReleaseTarget => ({
  ...releaseOf(loaded.deployment),
  as: fenced(loaded.deployment.id, fence),
  granted: grantedTo(loaded),
  cluster,
})
