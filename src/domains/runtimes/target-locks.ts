import { holding, targetName, type Clock, type TargetLocks } from '../../kernel/index.ts'
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
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** The locks of a crashed controller block other domains for at most this long. */
const TTL_MS = 15_000

/** Runs the work while no other domain changes the workload. Throws `Waiting` when another domain holds it. */
export async function holdingWorkload<T>(
  { locking, clock, signal }: LockedRun,
  { metadata }: ClassRuntime,
  { kind, name }: ChildRef,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (locking === undefined) return work(signal)
  const resource = resourceOf(kind)
  const target = targetName(resource.group, resource.kind, metadata.namespace, name)
  const holder = `runtimes on ${locking.instance} for ClassRuntime ${metadata.namespace}/${metadata.name}`
  return holding({ locks: locking.locks, clock, holder, signal, ttlMs: TTL_MS }, [target], work)
}
