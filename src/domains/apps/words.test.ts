import { expect, test } from 'vitest'
import { raise } from './failures.ts'
import type { Step } from './steps/types.ts'
import { decisionText, auditText, jobText } from './words.ts'

const { failure } = raise.NeverHealthy('pods do not start')

test.each([
  ['created', { generation: 1, chartVersion: '1.2.0' }, 'it was ordered, with version 1.2.0 of the chart'],
  ['changed', { changed: 'domainname' }, 'the domain was changed'],
  ['changed', { changed: 'user_values' }, 'the settings were changed'],
  ['changed', { changed: 'domainname, user_values' }, 'the domain and the settings were changed'],
  [
    'changed',
    { changed: 'user_values, template', chartVersion: '2.0.0' },
    'it was moved to another template, with version 2.0.0 of the chart, and the settings were changed',
  ],
  ['deleted', { generation: 3 }, 'its deletion was asked for'],
  ['enqueued', { reason: 'retry' }, 'another try was asked for'],
  ['enqueued', { reason: 'drift' }, 'a look at it was asked for'],
  ['requeued', { job: '7' }, 'another try was asked for'],
  ['failed', { job: '7', error: 'not today' }, 'it was given up by hand: not today'],
  ['praised', {}, 'it was praised'],
])('the deed %s %j is told', (action, detail, text) => expect(auditText(action, detail)).toBe(text))

test.each<[Step, string]>([
  [{ do: 'ensureNamespace' }, 'its namespace is being made'],
  [
    { do: 'unlockRelease', revision: 3, how: 'markFailed' },
    'revision 3 was left unfinished by a worker that died, and is unlocked',
  ],
  [{ do: 'install', timeoutMs: 1 }, 'it is being installed'],
  [{ do: 'upgrade', timeoutMs: 1, keepClaims: [], handOver: [] }, 'the change is being applied'],
  [{ do: 'rollBack', revision: 2, timeoutMs: 1 }, 'the change failed, and it goes back to revision 2'],
  [
    { do: 'repairObjects', objects: ['Service/web', 'Ingress/web'] },
    'objects that were changed or deleted by hand are being restored: Service/web, Ingress/web',
  ],
  [{ do: 'uninstall', hooks: true }, 'it is being uninstalled'],
  [{ do: 'uninstall', hooks: false }, 'it is being uninstalled without its hooks, which have failed'],
  [{ do: 'deleteNamespace' }, 'its namespace is being deleted'],
  [{ do: 'waitFor', because: 'web has 0 of 1 pods', ms: 1 }, 'it waits: web has 0 of 1 pods'],
  [{ do: 'waitFor', because: 'x', ms: 1, failure }, 'it waits: pods do not start (NeverHealthy)'],
  [{ do: 'nothing' }, 'everything is as it should be'],
  [{ do: 'refuse', failure }, 'it cannot go on: pods do not start (NeverHealthy)'],
])('the decision %j is told', (step, text) => expect(decisionText({ step, status: 'ready' })).toBe(text))

test('nothing to do after a deletion is the end of it', () =>
  expect(decisionText({ step: { do: 'nothing' }, status: 'deleted' })).toBe('nothing of it is left'))

test.each([
  [{ status: 'queued', reason: 'create', attempt: 0, lastError: null }, 'it waits for a worker because it was ordered'],
  [
    { status: 'queued', reason: 'update', attempt: 2, lastError: failure },
    'it waits for a worker because it was changed, after 2 failed tries: pods do not start (NeverHealthy)',
  ],
  [{ status: 'running', reason: 'drift', attempt: 0, lastError: null }, 'a worker is at it to check for drift'],
  [
    { status: 'running', reason: 'delete', attempt: 1, lastError: failure },
    'a worker is at it because it is to be deleted, after 1 failed try',
  ],
  [{ status: 'done', reason: 'retry', attempt: 0, lastError: null }, 'a worker has finished with it'],
  [
    { status: 'failed', reason: 'retry', attempt: 8, lastError: failure },
    'it was given up, after 8 failed tries: pods do not start (NeverHealthy)',
  ],
] as const)('the job %j is told', (job, text) => expect(jobText(job)).toBe(text))
