import { describe, expect, test } from 'vitest'
import { manualClock, seededRandom } from '../../../kernel/index.ts'
import { makeClient } from '../../client/make-client.ts'
import { Job } from '../../types/batch-v1.ts'
import { Pod } from '../../types/core-v1.ts'
import { FakeKubernetes } from '../server.ts'
import { runJobs } from './job.ts'
import { type PodOutcome, runPods } from './pod.ts'

const AT = { namespace: 'default', name: 'task' }

/** A Job whose pods end as `outcomes` say, one after the other; the last one is repeated. */
async function stage(outcomes: readonly PodOutcome[], spec: Partial<Job['spec']> = {}) {
  const clock = manualClock(Date.UTC(2030, 0, 1))
  const kubernetes = new FakeKubernetes({ clock, random: seededRandom(1) })
  const client = makeClient(kubernetes.transport(), { fieldManager: 'test' })
  const access = kubernetes.access()
  await client.create(Job, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: AT,
    spec: {
      template: { spec: { containers: [{ name: 'main', image: 'registry.example/task:1' }], restartPolicy: 'Never' } },
      ...spec,
    },
  })
  const seen = new Map<string, PodOutcome>()
  const outcome = ({ metadata: { uid = '' } }: Pod): PodOutcome => {
    const known = seen.get(uid) ?? outcomes[Math.min(seen.size, outcomes.length - 1)] ?? 'runs'
    seen.set(uid, known)
    return known
  }
  return {
    client,
    pods: () => client.list(Pod, { namespace: 'default' }),
    /** One turn of all controllers in every second. */
    run: async (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        runJobs(access)
        runPods(access, { outcome })
        kubernetes.collectGarbage()
        await clock.advance(1_000)
      }
      return client.get(Job, AT)
    },
  }
}

const endOf = (job: Job | undefined): string =>
  job?.status?.conditions?.map(({ type, reason }) => `${type} ${reason}`).join(', ') ?? 'none'

const FAILS = { exitCode: 1, message: 'the API server refused the patch' } as const
const IGNORES_DISRUPTION: Partial<Job['spec']> = {
  backoffLimit: 0,
  podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
}

describe('a Job', () => {
  test.each<[string, readonly PodOutcome[], Partial<Job['spec']>, number, object, string]>([
    ['runs one pod', ['runs'], {}, 20, { active: 1, ready: 1 }, 'none'],
    ['waits for a pod that no node takes', ['waits'], {}, 20, { active: 1, ready: 0 }, 'none'],
    [
      'is complete when its pod succeeded',
      ['succeeds'],
      {},
      20,
      { succeeded: 1 },
      'SuccessCriteriaMet CompletionsReached, Complete CompletionsReached',
    ],
    [
      'tries again after a failure',
      [FAILS, 'succeeds'],
      {},
      40,
      { succeeded: 1, failed: 1 },
      'SuccessCriteriaMet CompletionsReached, Complete CompletionsReached',
    ],
    ['waits 10 s before it tries again', [FAILS, 'succeeds'], {}, 8, { failed: 1, ready: 0 }, 'none'],
    [
      'has failed after one failure more than its backoff limit',
      [FAILS],
      { backoffLimit: 1 },
      60,
      { failed: 2 },
      'FailureTarget BackoffLimitExceeded, Failed BackoffLimitExceeded',
    ],
    [
      'does not count a pod that its failure policy ignores',
      ['evicted', 'succeeds'],
      IGNORES_DISRUPTION,
      40,
      { succeeded: 1 },
      'SuccessCriteriaMet CompletionsReached, Complete CompletionsReached',
    ],
    [
      'counts an evicted pod without such a policy',
      ['evicted'],
      { backoffLimit: 0 },
      40,
      { failed: 1 },
      'FailureTarget BackoffLimitExceeded, Failed BackoffLimitExceeded',
    ],
    [
      'has failed at its deadline',
      [{ waitingReason: 'ImagePullBackOff' }],
      { activeDeadlineSeconds: 5 },
      20,
      { ready: 0 },
      'FailureTarget DeadlineExceeded, Failed DeadlineExceeded',
    ],
    ['that is suspended has no pods', ['succeeds'], { suspend: true }, 20, {}, 'none'],
  ])('%s', async (_, outcomes, spec, seconds, status, end) => {
    const { run } = await stage(outcomes, spec)
    const job = await run(seconds)
    expect(job?.status).toMatchObject(status)
    expect(endOf(job)).toBe(end)
    expect(job?.status?.active).toBe((status as Job['status'])?.active)
  })

  test('creates one pod, also when its controller takes many turns', async () => {
    const { run, pods } = await stage(['runs'])
    await run(30)
    expect(await pods()).toHaveLength(1)
  })

  test('counts a pod that is deleted while it runs as failed', async () => {
    const { client, run, pods } = await stage(['runs'], { backoffLimit: 0 })
    await run(5)
    const [pod] = await pods()
    await client.delete(Pod, { namespace: 'default', name: pod?.metadata.name ?? '' })
    expect(endOf(await run(5))).toContain('Failed BackoffLimitExceeded')
    expect(await pods()).toHaveLength(0)
  })

  test('stays for its time to live, and then goes with its pods', async () => {
    const { run, pods } = await stage(['succeeds'], { ttlSecondsAfterFinished: 30 })
    expect(endOf(await run(30))).toContain('Complete')
    expect(await run(20)).toBeUndefined()
    expect(await pods()).toHaveLength(0)
  })

  test('whose controller has nothing to do is not written again', async () => {
    const { client, run } = await stage(['runs'])
    await run(10)
    const before = await client.get(Job, AT)
    await run(10)
    expect((await client.get(Job, AT))?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion)
  })
})
