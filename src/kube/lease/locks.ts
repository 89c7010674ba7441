import { createHash } from 'node:crypto'
import { systemClock, type Clock, type LockAnswer, type TargetLocks } from '../../kernel/index.ts'
import type { Reader, Writer } from '../client/client.ts'
import { fenceOf, renewLease, LeaseObservations, takeLease, vacateLease, type LeaseRequest } from './record.ts'

export interface KubeLocksOptions {
  readonly client: Reader & Writer
  /** Where the Leases live. All who are to respect each other use the same. */
  readonly namespace: string
  readonly clock?: Clock
}

/** Locks as Leases: one per target, kept for ever once made, because its count of holders is the fence. */
export function kubeLocks({ client, namespace, clock = systemClock }: KubeLocksOptions): TargetLocks {
  const parts = { client, clock, sightings: new LeaseObservations(clock) }
  return {
    async acquire(target, holder, ttlMs): Promise<LockAnswer> {
      const at = { namespace, name: leaseName(target) }
      const input: LeaseRequest = { at, holder, durationMs: ttlMs, annotations: { 'caelus.dev/target': target } }
      const answer = await takeLease(parts, input)
      if (!answer.held) return answer
      let { lease } = answer
      return {
        held: true,
        lock: {
          target,
          fence: fenceOf(lease),
          async renew() {
            const renewed = await renewLease(parts, input, lease)
            lease = renewed ?? lease
            return renewed !== undefined
          },
          release: () => vacateLease(parts, input, lease),
        },
      }
    },
  }
}

/** Targets hold characters and lengths that names of objects may not. */
const leaseName = (target: string): string => `lock-${createHash('sha256').update(target).digest('hex').slice(0, 32)}`
