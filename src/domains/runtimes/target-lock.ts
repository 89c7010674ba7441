import { targetName, type TargetLocks } from '../../kernel/index.ts'
import type { ClassRuntime } from './class-runtime.ts'
import { raise } from './failures.ts'
import { resourceOf } from './watch/optional-kinds.ts'
import type { ChildRef } from './types.ts'

export interface Locking {
  readonly locks: TargetLocks
  /** This process, as people know it. */
  readonly instance: string
}

/** Far longer than a write takes; a crashed holder is in nobody's way for longer than this. */
const TTL_MS = 15_000

/** Does the work while no other domain touches the workload. Throws `RuntimeTargetLocked` when one does. */
export async function holding<T>(
  { locks, instance }: Locking,
  { metadata }: ClassRuntime,
  { kind, name }: ChildRef,
  work: () => Promise<T>,
): Promise<T> {
  const resource = resourceOf(kind)
  const target = targetName(resource.group, resource.kind, metadata.namespace, name)
  const holder = `runtimes on ${instance} for ClassRuntime ${metadata.namespace}/${metadata.name}`
  const answer = await locks.acquire(target, holder, TTL_MS)
  if (!answer.held) {
    const until = new Date(answer.until).toISOString()
    throw raise.RuntimeTargetLocked(`${resource.kind} ${name} is held by ${answer.by} until ${until}`)
  }
  try {
    return await work()
  } finally {
    // One that cannot be given back expires by itself.
    await answer.lock.release().catch(() => {})
  }
}
