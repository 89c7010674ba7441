/**
 * One lock per target, respected by every domain, so that a repair, an upgrade, an enforcement and a remediation never fight.
 *
 * - Exclusive: at most one holder at a time, until its time is up.
 * - Fenced: the fence grows with every change of holder; the effect carries it where the target can check it.
 * - Honest: who is refused learns who holds it and until when.
 */
export interface TargetLocks {
  /** Taking a lock one already holds (same target, same holder) renews it. */
  acquire(target: string, holder: string, ttlMs: number): Promise<LockAnswer>
}

export type LockAnswer =
  | { readonly held: true; readonly lock: TargetLock }
  | { readonly held: false; readonly by: string; readonly until: number }

export interface TargetLock {
  readonly target: string
  readonly fence: number
  /** False: it has passed to somebody else; stop at once. */
  renew(): Promise<boolean>
  /** Harmless when it has already passed to somebody else. */
  release(): Promise<void>
}

/** What a target is called: `apps/v1 Deployment shop/web` and `Deployment shop/web` in another version are the same thing. */
export const targetName = (group: string, kind: string, namespace: string | undefined, name: string): string =>
  [group, kind, namespace ?? '', name].join('/').toLowerCase()
