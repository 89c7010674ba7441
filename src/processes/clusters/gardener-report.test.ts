import { expect, test } from 'vitest'
import { manualClock, startAll } from '../../kernel/index.ts'
import { gardenerReport, type GardenerReportOptions } from './gardener-report.ts'

interface Stage {
  mode?: 'mock' | 'real'
  ping?: () => Promise<void>
  age?: number
}

async function reported({ mode = 'real', ping = async () => {}, age }: Stage) {
  const shown: unknown[] = []
  const options: GardenerReportOptions = {
    gardener: { mode, ping },
    figures: async () => ({ statuses: {}, statusAgeSeconds: age }),
    board: { component: (name, report) => void shown.push([name, report.health, report.message]) },
    clock: manualClock(0),
  }
  const stop = await startAll([gardenerReport(options)])
  await expect.poll(() => shown.length).toBe(1)
  await stop()
  return shown[0]
}

test('a Gardener that answers, with a worker on its Shoots, is well', async () => {
  expect(await reported({ age: 4 })).toEqual(['gardener', 'ok', 'answers'])
})

test('a Gardener that does not answer is down, with the reason', async () => {
  const ping = () => Promise.reject(new Error('connection refused'))
  expect(await reported({ ping, age: 4 })).toEqual(['gardener', 'down', 'connection refused'])
})

test('without a worker that follows its Shoots it is degraded', async () => {
  expect(await reported({ age: 95.4 })).toEqual([
    'gardener',
    'degraded',
    'answers, but no worker of clusters has followed its Shoots for 95 s',
  ])
  expect(await reported({})).toEqual([
    'gardener',
    'degraded',
    'answers, but no worker of clusters has followed its Shoots yet',
  ])
})

test('a simulated one is well, and says so', async () => {
  expect(await reported({ mode: 'mock' })).toEqual(['gardener', 'ok', 'simulated: no clusters are made'])
})
