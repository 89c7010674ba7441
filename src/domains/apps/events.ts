import type { Failure } from '../../kernel/index.ts'
import type { StepName } from './steps/types.ts'

/** What the apps worker tells about itself. Metrics, logs and tests listen. */
export interface AppsEvents {
  'apps:looked': {
    readonly deployment: string
    /** Nothing had changed, so no request was sent. */
    readonly isRemembered: boolean
  }
  'apps:step': {
    readonly deployment: string
    readonly step: StepName
    readonly ms: number
    readonly failure?: Failure
  }
  /** Another writer changed or deleted an object of ours. */
  'apps:touched': { readonly deployment: string; readonly object: string; readonly how: 'changed' | 'deleted' }
  /** The policy that makes fences hold cannot be installed, or is not enforced. At the start nothing is claimed until it is. */
  'apps:unfenced': { readonly error: unknown }
  /** Namespaces of deleted deployments could not be looked for or removed; that is tried again. */
  'apps:orphansKept': { readonly error: unknown }
  /** Rights of apps could not be granted in every namespace; the worker tries again. */
  'apps:rightsMissing': { readonly error: unknown }
  /** A cluster that deployments are in cannot be used, or can be used again. */
  'apps:cluster': { readonly cluster: string; readonly failure?: Failure }
  /** It could not be found out which clusters are in use; the worker asks again. */
  'apps:clustersUnknown': { readonly error: unknown }
  'apps:scanned': { readonly deployments: number; readonly ms: number }
}
