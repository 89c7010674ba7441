import { expect, test } from 'vitest'
import { manualClock, MemoryQueue, type Wake } from '../../kernel/index.ts'
import { driftScan, scanPages, type ScannedKey } from './drift-scan.ts'

const ROWS = Array.from({ length: 5 }, (_, i): ScannedKey => ({
  key: { kind: 'Row', id: `${i}` },
  tenant: `t${i % 2}`,
}))

const pageOf = async (after: string | undefined, limit: number): Promise<readonly ScannedKey[]> =>
  ROWS.filter(({ key }) => after === undefined || key.id > after).slice(0, limit)

test.each([1, 2, 5, 6])('pages of %d cover all rows once', async (limit) => {
  const seen: string[] = []
  const count = await scanPages({
    limit,
    async page(after, most) {
      const page = await pageOf(after, most)
      seen.push(...page.map(({ key }) => key.id))
      return page
    },
  })
  expect([count, seen]).toEqual([5, ['0', '1', '2', '3', '4']])
})

function stage(page = pageOf) {
  const clock = manualClock()
  const log: string[] = []
  const queue = new MemoryQueue({ clock })
  const waking = {
    async wake(key: ScannedKey['key'], { reason, tenant }: Wake) {
      log.push(`${clock.now()} ${reason} ${key.id} of ${tenant}`)
      await queue.wake(key, { reason })
    },
  }
  const scan = driftScan({
    name: 'rows',
    everyMs: 60_000,
    page,
    queue: waking,
    clock,
    pageSize: 3,
    pauseMs: 100,
    onScanned: ({ count, ms }) => log.push(`scanned ${count} in ${ms}`),
    onError: (error) => log.push(`failed: ${String(error)}`),
  })
  return { clock, log, scan }
}

test('a scan wakes every row for its tenant, with a pause between pages, at the start and from time to time', async () => {
  const { clock, log, scan } = stage()
  await scan.start()
  await clock.advance(200)
  const wakes = ['0 drift 0 of t0', '0 drift 1 of t1', '0 drift 2 of t0', '100 drift 3 of t1', '100 drift 4 of t0']
  expect(log).toEqual([...wakes, 'scanned 5 in 100'])
  await clock.advance(59_800)
  expect(log.filter((line) => line === 'scanned 5 in 100')).toHaveLength(1)
  await clock.advance(400)
  expect(log.filter((line) => line === 'scanned 5 in 100')).toHaveLength(2)
  await scan.stop()
})

test('a failed scan is reported and begins anew the next time', async () => {
  let isAway = true
  const { clock, log, scan } = stage(async (after, limit) => {
    if (isAway && after !== undefined) throw new Error('away')
    return pageOf(after, limit)
  })
  await scan.start()
  await clock.advance(1_000)
  expect(log.at(-1)).toBe('failed: Error: away')
  isAway = false
  await clock.advance(61_000)
  expect(log.at(-1)).toBe('scanned 5 in 100')
  await scan.stop()
})

test('a stop interrupts a scan between two pages', async () => {
  const { clock, log, scan } = stage()
  await scan.start()
  await clock.advance(50)
  await scan.stop()
  await clock.advance(1_000)
  expect(log).toHaveLength(3)
})
