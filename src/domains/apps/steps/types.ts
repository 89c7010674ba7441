import type { Failure } from '../../../kernel/index.ts'
import type { HandedOver } from '../observed.ts'

/** What becomes of a release that does not get healthy in time. */
export type OnFailure =
  /** A first install is removed again. */
  | 'uninstall'
  /** An upgrade goes back to the revision before. */
  | 'rollBack'
  /** It stays as it is, because going back would delete a claim and the data in it. */
  | 'keep'

/** What Helm may do with data while it installs or upgrades. */
export interface DataPolicy {
  readonly onFailure: OnFailure
  /** Claims that the new manifest no longer has: to be annotated `helm.sh/resource-policy: keep` before Helm runs. */
  readonly keepClaims: readonly string[]
}

export type Step =
  | { readonly do: 'ensureNamespace' }
  /** The record is rewritten as failed, which is what lets the next upgrade in; the objects stay as they are. */
  | { readonly do: 'unlockRelease'; readonly revision: number; readonly how: 'markFailed' }
  | { readonly do: 'install'; readonly timeoutMs: number; readonly policy: DataPolicy }
  | {
      readonly do: 'upgrade'
      readonly timeoutMs: number
      readonly policy: DataPolicy
      readonly handOver: readonly HandedOver[]
    }
  /** Take back, by force and one by one, the fields of ours that others hold without being meant to. */
  | { readonly do: 'settleOwnership'; readonly objects: readonly string[] }
  | { readonly do: 'repairObjects'; readonly objects: readonly string[] }
  /** Hooks are left out once they have failed often: they must not keep a tenant from leaving. */
  | { readonly do: 'uninstall'; readonly hooks: boolean }
  | { readonly do: 'deleteNamespace' }
  /** `failure` says what a person could do meanwhile; waiting goes on without them. */
  | { readonly do: 'waitFor'; readonly because: string; readonly ms: number; readonly failure?: Failure }
  | { readonly do: 'nothing' }
  | { readonly do: 'refuse'; readonly failure: Failure }

export type StepName = Step['do']
