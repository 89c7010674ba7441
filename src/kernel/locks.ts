/**
 * One lock per target, respected by every domain, so that a repair, an upgrade, an enforcement and a remediation never run
 * on the same object at the same time.
 *
 * - Exclusive: at most one acquisition is valid at a time. It ends with its release, its TTL or the next acquisition.
 * - Fenced: every acquisition has a greater fence than the earlier ones of its target. A target that stores the fence of
 *   its last writer can refuse older writers (`applyFenced` in src/kube/lease).
 * - Informative: a refused caller learns which holder has the lock and until when.
 */
export interface TargetLocks {
  /**
   * Takes the lock if it is free or expired, or if `holder` has it under no greater `claimFence`. Taking over under the
   * same name is a new acquisition: it voids the earlier one, whose renewals and release then have no effect.
   */
  acquire(target: string, request: LockRequest): Promise<LockAnswer>
  /** Reads who holds the target without taking it. `undefined`: the target is free. */
  holderOf(target: string, signal?: AbortSignal): Promise<LockHolder | undefined>
}

export interface LockRequest {
  readonly holder: string
  /** The fence of the claim that the holder works under, so that a predecessor cannot take the lock from its successor. */
  readonly claimFence?: number
  /** The lock expires this long after its last renewal. */
  readonly ttlMs: number
  readonly signal?: AbortSignal
}

export interface LockHolder {
  readonly by: string
  /** Wall-clock time at which the lock expires unless it is renewed. */
  readonly until: number
}

export type LockAnswer = { readonly held: true; readonly lock: TargetLock } | ({ readonly held: false } & LockHolder)

/** One acquisition. It never speaks for an earlier or a later one, also not under the same holder name. */
export interface TargetLock {
  readonly target: string
  readonly fence: number
  /** False: the lock has been released or has passed on; stop at once. Rejects when the answer is unknown. */
  renew(signal?: AbortSignal): Promise<boolean>
  /** Has no effect when the lock has passed on. */
  release(signal?: AbortSignal): Promise<void>
}

/** The name of a target. It leaves out the API version: `apps/v1` and `apps/v2` name the same object. */
export const targetName = (group: string, kind: string, namespace: string | undefined, name: string): string =>
  [group, kind, namespace ?? '', name].join('/').toLowerCase()
