import { expect, test } from 'vitest'
import { expectNoSentinel, SENTINEL } from '../../../../test/support/sentinel.ts'
import type { Client, CoreV1 } from '../../../kube/index.ts'
import { masker } from '../values/redaction.ts'
import { diagnose } from './diagnostics.ts'

const mask = masker([SENTINEL])

/** A namespace with one pod that crashes, and its log. */
const crashing = (message: string, log: string): Client => {
  const state = { waiting: { reason: 'CrashLoopBackOff', message } }
  const lastState = { terminated: { exitCode: 1 } }
  const container = { name: 'web', image: '', imageID: '', ready: false, restartCount: 3, state, lastState }
  const pod: CoreV1.Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-1' },
    spec: { containers: [] },
    status: { phase: 'Running', containerStatuses: [container] },
  }
  const list = ({ kind }: { kind: string }) => Promise.resolve(kind === 'Pod' ? [pod] : [])
  return { list, podLog: () => Promise.resolve(log) } as unknown as Client
}

test('container states and last log lines are the diagnosis', async () => {
  expect(await diagnose(crashing('back-off', 'one\n\ntwo\n'), { namespace: 'shop', since: 0 }, mask)).toMatchObject({
    code: 'NeverHealthy',
    message: 'container web of pod web-1: CrashLoopBackOff back-off (exit 1, 3 restarts); last log lines: one | two',
  })
})

test('a secret is masked before lines are split, cut and joined', async () => {
  for (let before = 0; before < 210; before += 7) {
    const log = `${'.'.repeat(before)}${SENTINEL}\n${'-'.repeat(before)} ${JSON.stringify(SENTINEL)}`
    expectNoSentinel((await diagnose(crashing(log, log), { namespace: 'shop', since: 0 }, mask))?.message)
  }
})

test('a log or a message that begins or ends inside of a secret shows nothing of it', async () => {
  for (let at = 0; at < SENTINEL.length; at++) {
    const cut = `${SENTINEL.slice(at)} was refused\nretrying with ${SENTINEL.slice(0, at)}`
    expectNoSentinel((await diagnose(crashing(cut, cut), { namespace: 'shop', since: 0 }, mask))?.message)
  }
})

test.each([
  ['Error creating: pods "web-1" is forbidden: exceeded quota: small, requested: pods=1', 'QuotaExceeded'],
  [
    '(combined from similar events): Error creating: pods "web-9" is forbidden: exceeded quota: small, requested: pods=1',
    'QuotaExceeded',
  ],
  [
    'create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: exceeded quota: small, requested: pods=1',
    'QuotaExceeded',
  ],
  ['Failed to apply default image tag "exceeded quota": invalid reference format', 'NeverHealthy'],
])('an event %j is %s: names in it decide nothing', async (note, code) => {
  const event = { type: 'Warning', reason: 'FailedCreate', note }
  const list = ({ kind }: { kind: string }) => Promise.resolve(kind === 'Event' ? [event] : [])
  expect(await diagnose({ list } as unknown as Client, { namespace: 'shop', since: 0 }, mask)).toMatchObject({ code })
})
