import { createHash } from 'node:crypto'
import { systemClock, type Clock, type LockAnswer, type TargetLock, type TargetLocks } from '../../kernel/index.ts'
import type { Reader, Writer } from '../client/client.ts'
import { Lease } from '../types/coordination-v1.ts'
import { LeaseObservations } from './observations.ts'
import { deleteLease, holderIn, renewLease, takeLease, type LeaseParts, type LeaseRequest } from './record.ts'

export interface KubeLocksOptions {
  readonly client: Reader & Writer
  /** Holds the Leases. Processes that must respect each other's locks use the same namespace. */
  readonly namespace: string
  readonly clock?: Clock
}

/**
 * Locks as Leases, one per held target: a release deletes the Lease.
 *
 * The fence is the resourceVersion of the write that acquired the Lease. It grows across all objects of the API server, so it
 * also grows from a deleted Lease to the next one of the same name.
 */
export function kubeLocks({ client, namespace, clock = systemClock }: KubeLocksOptions): TargetLocks {
  const parts: LeaseParts = { client, clock, observations: new LeaseObservations(clock) }
  const atOf = (target: string) => ({ namespace, name: leaseName(target) })
  return {
    async acquire(target, { holder, claimFence = 0, ttlMs, signal }): Promise<LockAnswer> {
      const request: LeaseRequest = {
        at: atOf(target),
        holder,
        durationMs: ttlMs,
        annotations: { 'caelus.dev/target': target, [CLAIM_FENCE]: String(claimFence) },
        mayTakeOver: ({ metadata: { annotations } }) => Number(annotations?.[CLAIM_FENCE] ?? 0) <= claimFence,
        isUsuallyAbsent: true,
      }
      const answer = await takeLease(parts, request, signal)
      return answer.held ? { held: true, lock: lockOf(parts, request, target, answer.lease) } : answer
    },
    async holderOf(target, signal) {
      const lease = await client.get(Lease, atOf(target), signal)
      return lease && holderIn(parts, lease)
    },
  }
}

function lockOf(parts: LeaseParts, request: LeaseRequest, target: string, acquired: Lease): TargetLock {
  let lease = acquired
  return {
    target,
    fence: Number(acquired.metadata.resourceVersion),
    async renew(signal) {
      const renewed = await renewLease(parts, request, lease, signal)
      lease = renewed ?? lease
      return renewed !== undefined
    },
    release: (signal) => deleteLease(parts, request, lease, signal),
  }
}

const CLAIM_FENCE = 'caelus.dev/claim-fence'

/** Names of targets contain characters and have lengths that names of objects must not. */
const leaseName = (target: string): string => `lock-${createHash('sha256').update(target).digest('hex').slice(0, 32)}`
