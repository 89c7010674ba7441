import { expect, test } from 'vitest'
import { manualClock } from '../../kernel/index.ts'
import { domainReport, type DomainCounts } from './domain-report.ts'

async function world(first: DomainCounts | Error) {
  const clock = manualClock()
  let present = first
  let changed = (): void => {}
  const posted: string[] = []
  const { service, waitFor, refresh } = domainReport({
    name: 'apps',
    count() {
      if (present instanceof Error) throw present
      return present
    },
    changes: (callback) => ((changed = callback), () => (changed = () => {})),
    board: {
      domain: (name, { health, message, objects, not_ready }) =>
        void posted.push(`${name} ${health}: ${message} (${objects}, ${not_ready})`),
    },
    clock,
  })
  await service.start()
  return {
    posted,
    waitFor,
    async refreshed(next: DomainCounts) {
      present = next
      await refresh()
    },
    async becomes(next: DomainCounts | Error) {
      present = next
      changed()
      await clock.advance(200)
    },
    advance: (ms: number) => clock.advance(ms),
    stop: () => service.stop(),
  }
}

const counts = (objects: number, notReady = 0, failing = 0): DomainCounts => ({ objects, notReady, failing })

test('the first report is posted before the service is ready, and every change after it', async () => {
  const w = await world(counts(0))
  expect(w.posted).toEqual(['apps ok: no objects yet (0, 0)'])
  await w.becomes(counts(3, 2))
  await w.becomes(counts(3, 2, 1))
  await w.becomes(counts(3))
  expect(w.posted.slice(1)).toEqual([
    'apps ok: 1 of 3 ready (3, 2)',
    'apps degraded: 1 of 3 ready, 1 failed (3, 2)',
    'apps ok: 3 of 3 ready (3, 0)',
  ])
  await w.stop()
})

test('what cannot be counted yet is preparing, and what could be counted before is degraded', async () => {
  const w = await world(new Error('not listed yet'))
  await w.becomes(counts(2, 1))
  await w.becomes(new Error('the database is away'))
  expect(w.posted).toEqual([
    'apps preparing: not listed yet (0, 0)',
    'apps ok: 1 of 2 ready (2, 1)',
    'apps degraded: the database is away (2, 1)',
  ])
  await w.stop()
})

test('what the domain waits for is shown until it is over', async () => {
  const w = await world(counts(2, 1, 1))
  w.waitFor('waits for Helm')
  await w.advance(200)
  w.waitFor(undefined)
  await w.advance(200)
  expect(w.posted.slice(1)).toEqual([
    'apps preparing: waits for Helm (2, 1)',
    'apps degraded: 1 of 2 ready, 1 failed (2, 1)',
  ])
  await w.stop()
})

test('a refresh is posted when it resolves, without a change or time', async () => {
  const w = await world(counts(0))
  await w.refreshed(counts(1, 1))
  expect(w.posted.at(-1)).toBe('apps ok: 0 of 1 ready (1, 1)')
  await w.stop()
})
