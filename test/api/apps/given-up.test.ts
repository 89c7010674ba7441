import { expect, test } from 'vitest'
import { explainNow, type AppsParts } from '../../../src/domains/apps/index.ts'
import { reportGivenUp } from '../../../src/domains/apps/given-up.ts'
import { deploymentRows } from '../../../src/domains/apps/store/index.ts'
import { controller, createEmitter, decisionLog, systemClock } from '../../../src/kernel/index.ts'
import { openPool, openQueuePool, PostgresQueue } from '../../../src/store/index.ts'
import { appsWorld } from './world.ts'

test('a deployment whose runs end their process says so in its status and explains who has to act', async () => {
  await using ending = new AsyncDisposableStack()
  const explain = async (id: string) => {
    const rows = deploymentRows(pool)
    const [job] = (await w.as(w.admin.secret, { url: '/api/v1/reconcile-jobs' })).json().items
    const { status, attempt } = job
    // Without a client: observing may be what ends the process, and explain runs in the API.
    return explainNow({ rows, clock: systemClock } as unknown as AppsParts, id, { status, attempt, runAfter: 0 })
  }
  await using w = await appsWorld({
    insight: {
      explain,
      preview: () => Promise.reject(new Error()),
      resources: async () => [],
      notes: async () => undefined,
      manifest: async () => undefined,
      values: async () => undefined,
    },
  })
  const ann = await w.person('member')
  const { template_id } = await w.product()
  const { id } = await w.order(ann, template_id)

  const pool = openPool({ url: w.url, applicationName: 'test worker', role: 'caelus_worker' })
  const leaseMs = 60_000
  const queuePool = openQueuePool({ url: w.url, applicationName: 'test worker', role: 'caelus_worker', leaseMs })
  ending.defer(() => pool.end())
  ending.defer(() => queuePool.end())
  const queue = new PostgresQueue({ pool: queuePool, name: 'apps', leaseMs, keepHistory: true })
  ending.defer(() => queue.close())
  // The fifth worker in a row died with the key.
  expect(await queue.claim('dead', 1)).toHaveLength(1)
  await queuePool.query("update caelus.job set lapses = 4, lease_until = now() - interval '1 second'")
  let runs = 0
  const loop = controller({
    name: 'apps',
    queue,
    reconcile: () => (runs++, new Promise(() => {})),
    reportGivenUp: reportGivenUp(deploymentRows(pool), systemClock),
    emitter: createEmitter(),
    decisions: decisionLog(),
    pollMs: 50,
  })
  await loop.start()
  ending.defer(() => loop.stop())

  const url = `/api/v1/users/${ann.userId}/deployments/${id}`
  const read = async (path = '') => (await w.as(ann.secret, { url: `${url}${path}` })).json()
  await expect.poll(async () => (await read()).status).toBe('error')
  expect(await read()).toMatchObject({
    last_error: {
      code: 'RunNeverEnded',
      message: expect.stringContaining('5 runs of'),
      whose_move: 'operator',
      retryable: false,
      next_step: expect.stringContaining('Then requeue the job'),
    },
  })
  const jobs = async () => (await w.as(w.admin.secret, { url: '/api/v1/reconcile-jobs' })).json().items
  await expect
    .poll(async () => (await jobs())[0])
    .toMatchObject({ status: 'failed', last_error: { code: 'RunNeverEnded' } })
  expect(await read('/explain')).toMatchObject({
    why: ['it was never applied yet', expect.stringContaining('their process crashed or hung (RunNeverEnded)')],
    next: 'nothing, until the job is requeued, the deployment is changed or the drift scan retries it',
    at: null,
    whose_move: 'operator',
    next_step: expect.stringContaining('exit code'),
  })
  expect(runs).toBe(0)
})
