import { expect, test } from 'vitest'
import type { DecisionRow } from './decisions.ts'
import { actorName, decisionEntries } from './timeline.ts'

const row = (decision: unknown): DecisionRow => ({
  id: '1',
  controller: 'apps',
  key: { kind: 'Deployment', id: 'd1' },
  at: 1,
  decision,
  outcome: null,
  because: null,
  failure: null,
  ms: null,
  attempt: null,
  repeats: 2,
  lastAt: 3,
})

test('a decision of an earlier version is an entry without words', () => {
  const words = (decision: unknown) => {
    const { step } = decision as { step: { do: string } }
    return { what: step.do, message: step.do, tone: 'info' } as const
  }
  expect(decisionEntries([row({ step: { do: 'install' } }), row({ action: 'install' })], words)).toMatchObject([
    { what: 'install', count: 3 },
    { what: 'decided', message: 'recorded by an earlier version', count: 3 },
  ])
})

test('the id and the email of an admin are for admins', () => {
  const emails = new Map([['u1', 'ann@example.test']])
  const names = (admin: boolean) => ['u1', 'u2', 'platform'].map(actorName({ userId: 'u1', admin }, emails))
  expect(names(false)).toEqual(['ann@example.test', 'an admin', 'platform'])
  expect(names(true)).toEqual(['ann@example.test', 'u2', 'platform'])
})
