import { every, sleep, type Clock, type Emitter, type Queue, type Service } from '../../kernel/index.ts'
import { decide } from './decide.ts'
import type { ClustersEvents } from './events.ts'
import { glimpse, type ObserveDeps } from './observe.ts'
import { clusterKey } from './queue.ts'
import { record } from './record.ts'
import { AWAY, inputOf } from './reconciler.ts'
import type { ClusterRows, LoadedCluster } from './rows.ts'

export interface PassDeps extends ObserveDeps {
  readonly rows: Pick<ClusterRows, 'page'>
  readonly queue: Pick<Queue, 'wake'>
  readonly clock: Clock
  readonly emitter: Emitter<ClustersEvents>
}

const PAGE = 200
/** Between two pages, so that a pass over many rows is no burst. */
const PAUSE_MS = 100
/** How often to see whether the watch is current. */
const WATCH_LOOK_MS = 1_000
/** Between two passes at least, where one has failed or the watch ends again and again. */
const SHORTEST_MS = 10_000

/**
 * Compares all rows with the Shoots that the watch shows and wakes those with something to do: whenever the watch has become
 * current, at the start too, and from time to time. It decides as a run would, so over unchanged clusters it writes nothing
 * and asks Gardener nothing.
 */
export function passService(deps: PassDeps, everyMs: number): Service {
  const { clock, emitter, gardener } = deps
  let [wasAway, dueAt, startedAt] = [true, 0, -Infinity]
  const passIfDue = async (signal: AbortSignal): Promise<void> => {
    // Before the first list everything would look missing.
    if (!gardener.shoots.isCurrent) {
      ;[wasAway, dueAt] = [true, Math.min(dueAt, startedAt + SHORTEST_MS)]
      return
    }
    if (clock.elapsed() < dueAt) return
    startedAt = clock.elapsed()
    dueAt = startedAt + Math.min(everyMs, SHORTEST_MS)
    if (!(await pass(deps, wasAway, signal))) return
    ;[wasAway, dueAt] = [false, clock.elapsed() + everyMs]
  }
  return every('clusters pass', WATCH_LOOK_MS, passIfDue, {
    clock,
    onError: (error) => emitter.emit('clusters:scanFailed', { error }),
  })
}

/** `wasAway`: clusters that wait because Gardener did not answer are woken before their time. False: it was not completed. */
export async function pass(deps: PassDeps, wasAway: boolean, signal: AbortSignal): Promise<boolean> {
  const { rows, clock, emitter, gardener } = deps
  const since = clock.now()
  let [after, clusters, woken]: [string | undefined, number, number] = [undefined, 0, 0]
  for (;;) {
    const page = await rows.page(after, PAGE)
    // What a watch that was lost does not show may exist.
    if (!gardener.shoots.isCurrent) return false
    const due = page.filter((loaded) => hasWork(deps, loaded))
    await Promise.all(due.map((loaded) => wakeUp(deps, loaded, wasAway && isAwaiting(loaded) ? 'retry' : 'drift')))
    clusters += page.length
    woken += due.length
    if (page.length < PAGE) break
    after = page.at(-1)?.cluster.id
    await sleep(clock, PAUSE_MS, signal)
  }
  emitter.emit('clusters:scanned', { clusters, woken, ms: clock.now() - since })
  return true
}

const isAwaiting = ({ sync }: LoadedCluster): boolean => sync.failure?.code === AWAY

/** Drift leaves a backoff as it is. */
const wakeUp = (
  { queue }: Pick<PassDeps, 'queue'>,
  { cluster }: LoadedCluster,
  reason: 'drift' | 'retry',
): Promise<void> => queue.wake(clusterKey(cluster.id), { reason, tenant: cluster.organizationId })

/** Whether a run would do or write anything. */
export function hasWork(deps: Pick<PassDeps, 'gardener' | 'settings' | 'clock'>, loaded: LoadedCluster): boolean {
  const now = deps.clock.now()
  const observation = glimpse(deps, loaded)
  const decision = decide(inputOf(loaded, observation), now)
  if (decision.step.do !== 'nothing') return true
  const { shoot } = observation.seen
  const live = shoot.is === 'present' ? shoot.live : undefined
  return record(loaded.sync, { is: 'decided', decision, live, done: undefined, attempt: 0 }, now) !== undefined
}

/**
 * While the watch is not current, statuses are asked for: `atMost` clusters per interval are woken in turn, and each run asks
 * the server.
 */
export function fallbackPoll(deps: PassDeps, everyMs: number, atMost: number): Service {
  const { rows, clock, emitter, gardener } = deps
  let after: string | undefined
  const poll = async (): Promise<void> => {
    if (gardener.shoots.isCurrent) return
    const page = await rows.page(after, atMost)
    after = page.length < atMost ? undefined : page.at(-1)?.cluster.id
    await Promise.all(page.map((loaded) => wakeUp(deps, loaded, 'drift')))
  }
  const onError = (error: unknown): void => emitter.emit('clusters:scanFailed', { error })
  return every('clusters status poll', everyMs, poll, { clock, waitsFirst: true, onError })
}
