import { expect, test } from 'vitest'
import { manualClock, type Clock } from '../../kernel/index.ts'
import type { Lease } from '../types/coordination-v1.ts'
import { LeaseObservations } from './observations.ts'

const lease = (name: string, resourceVersion: string, uid = 'u'): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: 'default', name, uid, resourceVersion },
})

test('a Lease is unchanged since it was first read in its version', async () => {
  const clock = manualClock()
  const observations = new LeaseObservations(clock)
  expect(observations.unchangedForMs(lease('a', '1'))).toBe(0)
  await clock.advance(3_000)
  expect(observations.unchangedForMs(lease('a', '1'))).toBe(3_000)
  expect(observations.unchangedForMs(lease('a', '2'))).toBe(0)
  await clock.advance(3_000)
  expect(observations.unchangedForMs(lease('a', '2', 'another'))).toBe(0)
})

test('a wall clock that is set forward expires nothing', async () => {
  const clock = manualClock()
  let stepMs = 0
  const stepped: Clock = { ...clock, now: () => clock.now() + stepMs, elapsed: () => clock.elapsed() }
  const observations = new LeaseObservations(stepped)
  observations.unchangedForMs(lease('a', '1'))
  stepMs = 3_600_000
  await clock.advance(1_000)
  expect(observations.unchangedForMs(lease('a', '1'))).toBe(1_000)
})

test('Leases that are no longer read are forgotten, those that are read are kept', async () => {
  const clock = manualClock()
  const observations = new LeaseObservations(clock)
  for (let n = 0; n < 5_000; n++) {
    observations.unchangedForMs(lease('watched', '1'))
    observations.unchangedForMs(lease(`gone-${n}`, '1'))
    await clock.advance(10_000)
  }
  expect(observations.size).toBeLessThan(200)
  expect(observations.unchangedForMs(lease('watched', '1'))).toBe(50_000_000)
})
