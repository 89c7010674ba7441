import { describe, expect, test } from 'vitest'
import type { Pod } from '../../types/core-v1.ts'
import { nextStep, type PodOutcome } from './pod.ts'

const NOW = '2030-01-01T00:00:00Z'

const pod = (parts: { node?: string; phase?: string; terminating?: number; waiting?: string } = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    namespace: 'default',
    name: 'p',
    ...(parts.terminating !== undefined && {
      deletionTimestamp: NOW,
      deletionGracePeriodSeconds: parts.terminating,
    }),
  },
  spec: { containers: [{ name: 'main', image: 'i' }], ...(parts.node && { nodeName: parts.node }) },
  status: {
    phase: (parts.phase ?? 'Pending') as 'Pending',
    ...(parts.waiting && {
      containerStatuses: [
        {
          name: 'main',
          image: 'i',
          imageID: '',
          ready: false,
          restartCount: 0,
          state: { waiting: { reason: parts.waiting } },
        },
      ],
    }),
  },
})

/** The step in a word. */
const word = (one: Pod, outcome: PodOutcome): string | undefined => {
  const step = nextStep(one, outcome, NOW)
  if (typeof step !== 'object') return step
  const { terminated, waiting } = step.containerStatuses?.[0]?.state ?? {}
  return [step.phase, terminated?.exitCode, waiting?.reason].filter((part) => part !== undefined).join(' ')
}

describe('a pod', () => {
  test.each<[string, Pod, PodOutcome, string | undefined]>([
    ['that is new is bound to a node', pod(), 'runs', 'bind'],
    ['that no node takes stays as it is', pod(), 'waits', undefined],
    ['that is bound begins to run', pod({ node: 'n' }), 'succeeds', 'Running'],
    ['whose image is missing waits', pod({ node: 'n' }), { waitingReason: 'ErrImagePull' }, 'Pending ErrImagePull'],
    [
      'that waits for its image is not written again',
      pod({ node: 'n', waiting: 'ErrImagePull' }),
      { waitingReason: 'ErrImagePull' },
      undefined,
    ],
    ['that runs keeps running', pod({ node: 'n', phase: 'Running' }), 'runs', undefined],
    ['that runs succeeds', pod({ node: 'n', phase: 'Running' }), 'succeeds', 'Succeeded 0'],
    ['that runs fails with its exit code', pod({ node: 'n', phase: 'Running' }), { exitCode: 3 }, 'Failed 3'],
    ['that is evicted fails', pod({ node: 'n', phase: 'Running' }), 'evicted', 'Failed 137'],
    ['that has ended stays as it is', pod({ node: 'n', phase: 'Succeeded' }), { exitCode: 3 }, undefined],
    [
      'that is deleted while it runs is killed',
      pod({ node: 'n', phase: 'Running', terminating: 30 }),
      'runs',
      'Failed 137',
    ],
    [
      'that is deleted and has ended is removed',
      pod({ node: 'n', phase: 'Failed', terminating: 30 }),
      'runs',
      'remove',
    ],
    ['that a finalizer holds is removed once', pod({ node: 'n', phase: 'Failed', terminating: 0 }), 'runs', undefined],
  ])('%s', (_, one, outcome, expected) => expect(word(one, outcome)).toBe(expected))

  test('that is evicted says so in a condition', () => {
    const step = nextStep(pod({ node: 'n', phase: 'Running' }), 'evicted', NOW)
    expect(step).toMatchObject({ conditions: [{ type: 'Ready', status: 'False' }, { type: 'DisruptionTarget' }] })
  })
})
