import { targetName, type Clock, type TargetLock, type TargetLocks } from '../../kernel/index.ts'

/** Somebody else works on the same thing. Waiting for them is no failure. */
export class TargetHeld extends Error {
  override readonly name = 'TargetHeld'
  readonly until: number

  constructor(target: string, by: string, until: number) {
    super(`${target} is held by ${by}`)
    this.until = until
  }
}

/** A crashed holder's locks are free after this long; a live one renews them. */
const TTL_MS = 30_000

export interface Locking {
  readonly locks: TargetLocks
  readonly clock: Clock
  readonly holder: string
  readonly signal: AbortSignal
}

/** Does the work while holding all of the targets; the work's signal aborts when one of them is lost. */
export async function holding<T>(
  { locks, clock, holder, signal }: Locking,
  targets: readonly string[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const held: TargetLock[] = []
  const lost = new AbortController()
  let stopRenewing = (): void => {}
  const renew = async (): Promise<void> => {
    await Promise.all(
      held.map(async (lock) => {
        if (!(await lock.renew().catch(() => true))) lost.abort(new Error(`the lock on ${lock.target} was lost`))
      }),
    )
    if (held.length > 0) stopRenewing = clock.after(TTL_MS / 3, () => void renew())
  }
  try {
    // All at once: nobody waits while holding some, so that no order is needed to keep two from waiting for each other.
    const answers = await Promise.allSettled(
      targets.map(async (target) => ({ target, answer: await locks.acquire(target, holder, TTL_MS) })),
    )
    held.push(
      ...answers.flatMap((one) => (one.status === 'fulfilled' && one.value.answer.held ? [one.value.answer.lock] : [])),
    )
    for (const one of answers) {
      if (one.status === 'rejected') throw one.reason
      const { target, answer } = one.value
      if (!answer.held) throw new TargetHeld(target, answer.by, answer.until)
    }
    stopRenewing = clock.after(TTL_MS / 3, () => void renew())
    return await work(AbortSignal.any([signal, lost.signal]))
  } finally {
    stopRenewing()
    await Promise.allSettled(held.splice(0).map((lock) => lock.release()))
  }
}

/** The kinds that others change too: an enforcement scales them, a remediation restarts them. */
const CONTENDED: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet'])

interface Target {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

/** What a step on a release holds: its namespace, and the workloads in it. */
export const targetsOf = (namespace: string, objects: readonly Target[]): string[] => [
  targetName('', 'Namespace', undefined, namespace),
  ...objects
    .filter(({ kind }) => CONTENDED.has(kind))
    .map(({ apiVersion, kind, metadata }) =>
      targetName(apiVersion.split('/')[0] ?? '', kind, namespace, metadata.name),
    ),
]
