import { holding, targetName, type Clock, type TargetLocks } from '../../kernel/index.ts'
import type { Client } from '../../kube/index.ts'
import type { ClassRuntime } from './class-runtime.ts'
import type { ChildRef } from './types.ts'
import { resourceOf } from './watch/optional-kinds.ts'

export interface Locking {
  readonly locks: TargetLocks
  /** Identifies this process to the other domains. */
  readonly instance: string
}

export interface LockedRun {
  /** Absent: no other domain changes the same workloads. */
  readonly locking?: Locking
  readonly client: Client
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** The locks of a crashed controller block other domains for at most this long. */
const TTL_MS = 15_000

/**
 * Runs the work while no other domain changes the workload, with a client and a signal that end with the lock. Throws
 * `Waiting` when another domain holds the workload.
 */
export async function holdingWorkload<R extends LockedRun, T>(
  run: R,
  { metadata }: ClassRuntime,
  { kind, name }: ChildRef,
  work: (held: R) => Promise<T>,
): Promise<T> {
  const { locking, client, clock, signal } = run
  if (locking === undefined) return work(run)
  const resource = resourceOf(kind)
  const target = targetName(resource.group, resource.kind, metadata.namespace, name)
  const holder = `runtimes on ${locking.instance} for ClassRuntime ${metadata.namespace}/${metadata.name}`
  const options = { locks: locking.locks, clock, holder, signal, ttlMs: TTL_MS }
  return holding(options, [target], (held, { assertHeld }) =>
    work({ ...run, signal: held, client: client.guardedBy(assertHeld) }),
  )
}
