import type { Failure } from '../../kernel/index.ts'
import type { StepName } from './steps.ts'

/** What the clusters worker tells about itself. Metrics, logs and tests listen. */
export interface ClustersEvents {
  'clusters:step': {
    readonly cluster: string
    readonly step: StepName
    readonly ms: number
    readonly failure?: Failure
  }
  /** A pass over all clusters has ended. `woken`: those with something to do. */
  'clusters:scanned': { readonly clusters: number; readonly woken: number; readonly ms: number }
  'clusters:scanFailed': { readonly error: unknown }
  /** A Shoot without a row was deleted. */
  'clusters:orphanRemoved': { readonly shoot: string; readonly cluster: string }
  /** Gardener was asked to try the deletion of such a Shoot again. */
  'clusters:orphanRetried': { readonly shoot: string; readonly cluster: string }
  /** Gardener gave up the deletion of such a Shoot, and a person has to remove the cause. */
  'clusters:orphanStuck': { readonly shoot: string; readonly failure: Failure }
  /** Shoots without rows are left alone because there are suspiciously many. */
  'clusters:orphansKept': { readonly failure: Failure; readonly shoots: readonly string[] }
  /** Gardener does not answer; everything is tried again. */
  'clusters:gardenerAway': { readonly error: unknown }
  /** The watch on Shoots is current again, or no longer. */
  'clusters:watch': { readonly isCurrent: boolean }
}
