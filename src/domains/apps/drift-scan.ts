import { service, sleep, type Clock, type Happenings, type Queue, type Service } from '../../kernel/index.ts'
import type { AppsHappenings } from './happenings.ts'
import { deploymentKey } from './queue.ts'
import type { DeploymentRows } from './rows.ts'

export interface DriftScanDeps {
  readonly rows: Pick<DeploymentRows, 'living'>
  readonly queue: Pick<Queue, 'wake'>
  readonly clock: Clock
  readonly happenings: Happenings<AppsHappenings>
  /** From the end of one pass to the beginning of the next. */
  readonly everyMs: number
}

const PAGE = 100
/** Between pages, so that a pass over thousands is no burst. */
const PAGE_PAUSE_MS = 1_000

/**
 * Wakes everything that should exist from time to time, and once at the start: for drift that no watch has told of, and
 * to give what was parked another chance. A pass that is interrupted begins anew at the next time.
 */
export function driftScan(deps: DriftScanDeps): Service {
  return service('apps drift scan', async (signal, ready) => {
    ready()
    while (!signal.aborted) {
      const since = deps.clock.now()
      const deployments = await scanOnce(deps, signal).catch(() => undefined)
      if (deployments !== undefined) deps.happenings.emit('apps:scanned', { deployments, ms: deps.clock.now() - since })
      await sleep(deps.clock, deps.everyMs, signal).catch(() => {})
    }
  })
}

async function scanOnce({ rows, queue, clock }: DriftScanDeps, signal: AbortSignal): Promise<number> {
  let [after, count]: [string | undefined, number] = [undefined, 0]
  for (;;) {
    const page = await rows.living(after, PAGE)
    await Promise.all(page.map(({ id, userId }) => queue.wake(deploymentKey(id), { reason: 'drift', tenant: userId })))
    count += page.length
    after = page.at(-1)?.id
    if (page.length < PAGE || signal.aborted) return count
    await sleep(clock, PAGE_PAUSE_MS, signal)
  }
}
