import type { Failure } from '../../../kernel/index.ts'
import type { HandedOver, Stray } from '../observed.ts'

export type Step =
  | { readonly do: 'ensureNamespace' }
  /** The record is rewritten as failed, which is what lets the next upgrade in; the objects stay as they are. */
  | { readonly do: 'unlockRelease'; readonly revision: number; readonly how: 'markFailed' }
  /** `timeoutMs` is that of every hook; health is not waited for while it runs. */
  | { readonly do: 'install'; readonly timeoutMs: number }
  | {
      readonly do: 'upgrade'
      readonly timeoutMs: number
      /** Claims that the new manifest no longer has: annotated `helm.sh/resource-policy: keep` before Helm runs. */
      readonly keepClaims: readonly string[]
      readonly handOver: readonly HandedOver[]
      /** Deleted before Helm runs. */
      readonly remove?: readonly Stray[]
    }
  | {
      readonly do: 'rollBack'
      readonly revision: number
      readonly timeoutMs: number
      /** Deleted before Helm runs. */
      readonly remove?: readonly Stray[]
    }
  | { readonly do: 'repairObjects'; readonly objects: readonly string[] }
  /** Hooks are left out once they have failed often: they must not keep a tenant from leaving. */
  | { readonly do: 'uninstall'; readonly hooks: boolean }
  | { readonly do: 'deleteNamespace' }
  /** `failure` says what a person could do meanwhile; waiting goes on without them. */
  | { readonly do: 'waitFor'; readonly because: string; readonly ms: number; readonly failure?: Failure }
  | { readonly do: 'nothing' }
  | { readonly do: 'refuse'; readonly failure: Failure }

export type StepName = Step['do']
