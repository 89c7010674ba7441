import { describe, expect, test } from 'vitest'
import { decide as decideOnce, LABEL } from '../examples/echo/decide.ts'
import type { Echo } from '../examples/echo/echo.ts'
import type { Observed } from '../examples/echo/observe.ts'
import { replays } from '../examples/echo/replay.ts'
import type { ConfigMap } from '../src/kube/index.ts'
import { replayed } from '../test/support/replay.ts'

const NOW = Date.UTC(2030, 0, 1)
const metadata = { namespace: 'n', name: 'a', uid: 'u1', generation: 2, resourceVersion: '7' }
const ready = {
  type: 'Ready',
  status: 'True',
  reason: 'Applied',
  message: 'the ConfigMap says the same',
  lastTransitionTime: '2030-01-01T00:00:00Z',
} as const
const done = (generation: number) => ({
  observedGeneration: generation,
  conditions: [{ ...ready, observedGeneration: generation }],
})
const echo: Echo = { apiVersion: 'bench.example/v1', kind: 'Echo', metadata, spec: { message: 'hello' } }
const child: ConfigMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    namespace: 'n',
    name: 'a',
    labels: { [LABEL]: 'a' },
    ownerReferences: [
      {
        apiVersion: 'bench.example/v1',
        kind: 'Echo',
        name: 'a',
        uid: 'u1',
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  },
  data: { message: 'hello' },
}
const owner = child.metadata.ownerReferences?.[0]
const going = '2030-01-01T00:00:00Z'

/** Every case of the table also replays to the same answer from its record. */
const decide: typeof decideOnce = (input, now) => {
  const decision = decideOnce(input, now)
  expect(replayed('echo', { input, decision, at: now }, replays)).toEqual({ is: 'same' })
  return decision
}

/** What is written, in a word; the words are the whole behaviour. */
const word = (seen: Observed): string => {
  const { child: toApply, status } = decide(seen, NOW)
  const words = [toApply && (toApply.takeOver ? 'correct the child' : 'create the child'), status && 'write status']
  return words.filter(Boolean).join(', ') || 'nothing'
}

describe('an echo', () => {
  test.each<[string, Observed, string]>([
    ['that is gone is left alone', { echo: undefined, child: undefined }, 'nothing'],
    ['that is gone leaves its child to the garbage collector', { echo: undefined, child }, 'nothing'],
    [
      'that is going gets nothing new',
      { echo: { ...echo, metadata: { ...metadata, deletionTimestamp: going } }, child: undefined },
      'nothing',
    ],
    ['that is new gets a child and a status', { echo, child: undefined }, 'create the child, write status'],
    ['whose child is there gets a status', { echo, child }, 'write status'],
    ['that was answered is left alone', { echo: { ...echo, status: done(2) }, child }, 'nothing'],
    ['whose status is about before gets a new one', { echo: { ...echo, status: done(1) }, child }, 'write status'],
    ['that lost its child gets it back', { echo: { ...echo, status: done(2) }, child: undefined }, 'create the child'],
    [
      'whose child says something else has it corrected',
      { echo: { ...echo, status: done(2) }, child: { ...child, data: { message: 'meddled' } } },
      'correct the child',
    ],
    [
      'whose child is a namesake’s takes it over',
      {
        echo: { ...echo, status: done(2) },
        child: { ...child, metadata: { ...child.metadata, ownerReferences: [{ ...owner!, uid: 'u0' }] } },
      },
      'correct the child',
    ],
    [
      'whose child is going has it applied again',
      {
        echo: { ...echo, status: done(2) },
        child: { ...child, metadata: { ...child.metadata, deletionTimestamp: going } },
      },
      'correct the child',
    ],
  ])('%s', (_, seen, expected) => expect(word(seen)).toBe(expected))

  test('keeps the time of a condition that stays true', () => {
    const later = decide({ echo: { ...echo, status: done(1) }, child }, NOW + 60_000)
    expect(later.status).toEqual(done(2))
  })
})
