import { every, sleep, systemClock, type Clock, type Key, type Queue, type Service } from '../../kernel/index.ts'
import type { WakeCall } from '../queue/wake.ts'

export interface ScannedKey {
  readonly key: Key
  readonly tenant?: string
}

/** Keys in the order of their ids: up to `limit` of them after the id `after`, or the first ones. */
type Page = (after: string | undefined, limit: number) => Promise<readonly ScannedKey[]>

export interface DriftScanOptions {
  readonly name: string
  /** From the end of one scan to the beginning of the next. The first begins at the start. */
  readonly everyMs: number
  readonly page: Page
  readonly queue: Pick<Queue, 'wake'>
  readonly clock?: Clock
  /** @default 100 */
  readonly pageSize?: number
  /** Between two pages, so that a scan of many rows is no burst. @default 200 */
  readonly pauseMs?: number
  readonly onScanned?: (scan: { readonly count: number; readonly ms: number }) => void
  readonly onError?: (error: unknown) => void
}

/**
 * Wakes every row that should exist, at the start and from time to time. It finds drift that no watch reported, and
 * retries parked keys. An interrupted scan begins anew the next time.
 */
export function driftScan(options: DriftScanOptions): Service {
  const { name, everyMs, page, queue, clock = systemClock, pageSize = 100, pauseMs = 200 } = options
  const { onScanned = () => {}, onError = () => {} } = options
  const scan = async (signal: AbortSignal): Promise<void> => {
    const since = clock.now()
    const count = await scanPages({
      limit: pageSize,
      async page(after, limit) {
        const keys = await page(after, limit)
        await Promise.all(keys.map(driftWake).map(({ key, wake }) => queue.wake(key, wake)))
        return keys
      },
      pause: () => sleep(clock, pauseMs, signal),
    })
    onScanned({ count, ms: clock.now() - since })
  }
  return every(`drift scan of ${name}`, everyMs, scan, { clock, onError })
}

interface Scan {
  readonly limit: number
  readonly page: Page
  /** Between two pages. Rejects to end the scan. */
  readonly pause?: () => Promise<void>
}

/** Reads all pages and returns the number of keys. */
export async function scanPages({ limit, page, pause }: Scan): Promise<number> {
  let [after, count]: [string | undefined, number] = [undefined, 0]
  for (;;) {
    const keys = await page(after, limit)
    count += keys.length
    after = keys.at(-1)?.key.id
    if (keys.length < limit) return count
    await pause?.()
  }
}

/** For the tenant of the row, so that a scan of one tenant's rows delays no other tenant. */
export const driftWake = ({ key, tenant }: ScannedKey): WakeCall => ({
  key,
  wake: tenant === undefined ? { reason: 'drift' } : { reason: 'drift', tenant },
})
