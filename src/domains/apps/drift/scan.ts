import {
  every,
  sleep,
  type Clock,
  type Emitter,
  type Key,
  type Queue,
  type Service,
  type Wake,
} from '../../../kernel/index.ts'
import type { AppsEvents } from '../events.ts'
import { deploymentKey, WAKE_REASON } from '../queue.ts'
import type { DeploymentRows } from '../rows.ts'

export interface DriftScanDeps {
  readonly rows: Pick<DeploymentRows, 'living'>
  readonly queue: Pick<Queue, 'wake'>
  readonly clock: Clock
  readonly emitter: Emitter<AppsEvents>
  /** From the end of one pass to the beginning of the next. */
  readonly everyMs: number
}

const PAGE = 100
/** Between pages, so that a pass over thousands is no burst. */
const PAGE_PAUSE_MS = 200

/**
 * Wakes everything that should exist from time to time, and once at the start: for drift that no watch has told of, and
 * to give what was parked another chance. A pass that is interrupted begins anew at the next time.
 */
export function driftScan(deps: DriftScanDeps): Service {
  const { clock, emitter, everyMs } = deps
  const scan = async (signal: AbortSignal): Promise<void> => {
    const since = clock.now()
    const deployments = await scanOnce(deps, signal)
    emitter.emit('apps:scanned', { deployments, ms: clock.now() - since })
  }
  return every('apps drift scan', everyMs, scan, { clock })
}

function scanOnce({ rows, queue, clock }: DriftScanDeps, signal: AbortSignal): Promise<number> {
  return scanForDrift({
    pageSize: PAGE,
    async wakePage(after) {
      const page = await rows.living(after, PAGE)
      await Promise.all(page.map(driftWake).map(({ key, wake }) => queue.wake(key, wake)))
      return page
    },
    pause: () => sleep(clock, PAGE_PAUSE_MS, signal),
  })
}

interface Scan {
  readonly pageSize: number
  /** Wakes the next page, in the order of ids, and answers with it. */
  readonly wakePage: (after: string | undefined) => Promise<readonly Living[]>
  /** Between pages. Rejects to end the scan. */
  readonly pause?: () => Promise<void>
}

interface Living {
  readonly id: string
  readonly userId: string
}

/** Wakes everything that should exist, page by page. Answers how many there were. */
export async function scanForDrift({ pageSize, wakePage, pause }: Scan): Promise<number> {
  let [after, count]: [string | undefined, number] = [undefined, 0]
  for (;;) {
    const page = await wakePage(after)
    count += page.length
    after = page.at(-1)?.id
    if (page.length < pageSize) return count
    await pause?.()
  }
}

/** On behalf of its tenant: a scan of everything must not push anybody's change aside. */
export const driftWake = ({ id, userId }: Living): { readonly key: Key; readonly wake: Wake } => ({
  key: deploymentKey(id),
  wake: { reason: WAKE_REASON.drift, tenant: userId },
})
