import { expect, test } from 'vitest'
import { manualClock } from '../../kernel/index.ts'
import { raise } from '../../kernel/errors.ts'
import { FakePostgresQueue } from '../../store/fake/index.ts'
import { fakeClusters } from './fake/rows.ts'
import { reportGivenUp } from './given-up.ts'
import { clusterKey, ORPHANS_KEY } from './queue.ts'

test('why a cluster is no longer run stands in its row and in its history, under the fence', async () => {
  const clock = manualClock()
  const queue = new FakePostgresQueue({ clock, leaseMs: 10_000 })
  const clusters = fakeClusters({ queue, clock })
  await clusters.order({ id: 'a' })
  const [claim] = await queue.claim('worker', 1)
  const report = reportGivenUp(clusters.rows, clock)
  const failure = raise.RunNeverEnded('5 runs never ended').failure
  const { signal } = new AbortController()
  await report({ key: clusterKey('a'), fence: (claim?.fence ?? 0) - 1, signal }, failure)
  expect(clusters.get('a')?.sync.failure).toBeNull()
  await report({ key: clusterKey('a'), fence: claim?.fence ?? 0, signal }, failure)
  expect(clusters.get('a')?.sync.failure).toEqual(failure)
  expect(clusters.get('a')?.events.at(-1)).toMatchObject({ type: 'sync_failed', message: '5 runs never ended' })
  await expect(report({ key: ORPHANS_KEY, fence: 1, signal }, failure)).resolves.toBeUndefined()
})
