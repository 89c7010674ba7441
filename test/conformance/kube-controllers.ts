import { describe, expect, test, type TestContext } from 'vitest'
import { Deployment, Job, Pod, type At, type Client, type Draft } from '../../src/kube/index.ts'

export interface ControllersUnderTest {
  readonly client: Client
  readonly namespace: string
  /** Gives the controllers the time for a turn. */
  readonly turn: () => Promise<unknown>
  readonly close?: () => Promise<void>
}

const CONTAINERS = [{ name: 'main', image: 'registry.example/task:1' }]

/** No node has the label, so that the test decides how its pods end. */
const jobOf = (namespace: string, spec: Partial<Job['spec']> = {}): Draft<Job> => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { namespace, name: 'task' },
  spec: {
    template: {
      metadata: { labels: { app: 'task' } },
      spec: { containers: CONTAINERS, restartPolicy: 'Never', nodeSelector: { 'caelus.dev/none': 'true' } },
    },
    ...spec,
  },
})

const deploymentOf = (namespace: string): Draft<Deployment> => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace, name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: CONTAINERS } },
  },
})

const FAILED_POD = { phase: 'Failed' } as const
const IGNORES_DISRUPTION: Partial<Job['spec']> = {
  backoffLimit: 0,
  podFailurePolicy: {
    rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
  },
}

/** What we rely on of the controllers of Kubernetes. Where two differ, the real ones are right. */
export function exerciseControllers(name: string, make: () => Promise<ControllersUnderTest>): void {
  // Side by side: they wait for controllers, one of which pauses for ten seconds.
  describe.concurrent(`${name} behave like those of Kubernetes`, () => {
    const fresh = async ({ onTestFinished }: TestContext) => {
      const world = await make()
      onTestFinished(async () => world.close?.())
      return stageOf(world)
    }

    test('a Deployment reports its replicas, also after it was scaled', async (context) => {
      const { client, at, deployment, until } = await fresh(context)
      await client.create(Deployment, deploymentOf(at.namespace))
      const isDone = ({ metadata, status }: Deployment, replicas: number): boolean =>
        status?.observedGeneration === metadata.generation && (status?.availableReplicas ?? 0) === replicas
      const first = await until(deployment, (one) => isDone(one, 2))
      expect(first.status).toMatchObject({ replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 })
      expect(reasonsOf(first)).toMatchObject({
        Available: 'True MinimumReplicasAvailable',
        Progressing: 'True NewReplicaSetAvailable',
      })
      await client.patch(Deployment, { ...at, name: 'web' }, { merge: { spec: { replicas: 0 } } })
      const last = await until(deployment, (one) => isDone(one, 0) && one.status?.replicas === undefined)
      expect(last.status?.readyReplicas).toBeUndefined()
    })

    test('a Job creates one pod, with its labels, its owner and a finalizer', async (context) => {
      const { client, at, job, pods, until } = await fresh(context)
      const { metadata } = await client.create(Job, jobOf(at.namespace))
      const [pod] = await until(pods, (all) => all.length > 0)
      expect(pod?.metadata.labels).toMatchObject({
        app: 'task',
        'job-name': 'task',
        'batch.kubernetes.io/job-name': 'task',
        'batch.kubernetes.io/controller-uid': metadata.uid,
      })
      expect(pod?.metadata.finalizers).toEqual(['batch.kubernetes.io/job-tracking'])
      expect(pod?.metadata.ownerReferences).toMatchObject([{ kind: 'Job', name: 'task', controller: true }])
      const { status } = await until(job, (one) => one.status?.active === 1)
      expect(status).toMatchObject({ ready: 0, terminating: 0, uncountedTerminatedPods: {} })
      expect(status?.startTime).toBeDefined()
      expect(await pods()).toHaveLength(1)
    })

    test('a Job whose pod succeeded is complete', async (context) => {
      const { job, start, end, until } = await fresh(context)
      await end(await start(), { phase: 'Succeeded' })
      const done = await until(job, hasEnded)
      expect(reasonsOf(done)).toEqual({
        SuccessCriteriaMet: 'True CompletionsReached',
        Complete: 'True CompletionsReached',
      })
      expect(done.status).toMatchObject({ succeeded: 1, ready: 0 })
      expect([done.status?.active, done.status?.failed]).toEqual([undefined, undefined])
      expect(done.status?.completionTime).toBeDefined()
    })

    test('a Job whose pod failed has failed when its backoff limit is reached', async (context) => {
      const { job, start, end, until } = await fresh(context)
      await end(await start({ backoffLimit: 0 }), FAILED_POD)
      const done = await until(job, hasEnded)
      expect(reasonsOf(done)).toEqual({
        FailureTarget: 'True BackoffLimitExceeded',
        Failed: 'True BackoffLimitExceeded',
      })
      expect(done.status).toMatchObject({ failed: 1 })
      expect(done.status?.completionTime).toBeUndefined()
    })

    test('a pod that is deleted counts as failed', async (context) => {
      const { client, job, start, until } = await fresh(context)
      await client.delete(Pod, await start({ backoffLimit: 0 }))
      const done = await until(job, hasEnded)
      expect(done.status).toMatchObject({ failed: 1 })
    })

    test('a failed pod that the failure policy ignores is not counted, and is replaced', async (context) => {
      const { job, pods, start, end, until } = await fresh(context)
      const first = await start(IGNORES_DISRUPTION)
      const conditions = [{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }]
      await end(first, { ...FAILED_POD, conditions })
      await until(pods, (all) => all.some(({ metadata }) => metadata.name !== first.name))
      expect((await job())?.status?.failed).toBeUndefined()
    })

    test('a Job that is active for longer than its deadline has failed, and its pod is deleted', async (context) => {
      const { client, at, job, pods, start, until } = await fresh(context)
      await start()
      // Only now: a deadline from the start could be over before the test has seen the pod.
      await client.patch(Job, at, { merge: { spec: { activeDeadlineSeconds: 1 } } })
      const done = await until(job, hasEnded)
      expect(reasonsOf(done)).toMatchObject({ Failed: 'True DeadlineExceeded' })
      await until(pods, (all) => all.length === 0)
    })

    test('a Job is deleted with its pods when its time to live is over', async (context) => {
      const { job, pods, start, end, until } = await fresh(context)
      await end(await start({ ttlSecondsAfterFinished: 0 }), { phase: 'Succeeded' })
      await until(
        async () => [await job(), await pods()] as const,
        ([one, all]) => one === undefined && all.length === 0,
      )
    })
  })
}

/** Both controllers take a second at most for a turn; the deadline ends what hangs. */
const DEADLINE_MS = 60_000

function stageOf({ client, namespace, turn }: ControllersUnderTest) {
  const at = { namespace, name: 'task' }
  async function until<T, U extends T>(read: () => Promise<T>, expected: (value: NonNullable<T>) => boolean) {
    const deadline = Date.now() + DEADLINE_MS
    for (;;) {
      await turn()
      const value = await read()
      if (isExpected<T, U>(value, expected)) return value
      if (Date.now() > deadline) throw new Error(`not as expected in ${DEADLINE_MS} ms: ${JSON.stringify(value)}`)
    }
  }
  const pods = () => client.list(Pod, { namespace })
  return {
    client,
    at,
    until,
    pods,
    job: () => client.get(Job, at),
    deployment: () => client.get(Deployment, { namespace, name: 'web' }),
    /** Creates the Job and returns its first pod. */
    start: async (spec: Partial<Job['spec']> = {}): Promise<At> => {
      await client.create(Job, jobOf(namespace, spec))
      const [pod] = await until(pods, (all) => all.length > 0)
      return { namespace, name: pod?.metadata.name ?? '' }
    },
    end: (pod: At, status: object) => client.patchStatus(Pod, pod, { merge: { status } }),
  }
}

const isExpected = <T, U extends T>(value: T, expected: (value: NonNullable<T>) => boolean): value is NonNullable<U> =>
  value !== undefined && value !== null && expected(value)

const hasEnded = ({ status }: Job): boolean =>
  status?.conditions?.some(({ type }) => type === 'Complete' || type === 'Failed') ?? false

const reasonsOf = ({ status }: Job | Deployment): Readonly<Record<string, string>> =>
  Object.fromEntries((status?.conditions ?? []).map(({ type, status: is, reason }) => [type, `${is} ${reason}`]))
