import { expect, test } from 'vitest'
import { APPS_QUEUE, deploymentKey } from '../../../src/domains/apps/queue.ts'
import { deploymentRows } from '../../../src/domains/apps/store/index.ts'
import type { Claim, Failure } from '../../../src/kernel/index.ts'
import { decisionStore, prune, type Actor } from '../../../src/store/index.ts'
import { expectNoSentinel, SENTINEL } from '../../support/sentinel.ts'
import { appsWorld, codeOf, ringOf, type AppsWorld } from './world.ts'

const failure: Failure = {
  code: 'Broken',
  message: 'it broke',
  whoseMove: 'operator',
  retryable: true,
  nextStep: 'mend it',
}

async function ordered(w: AppsWorld, who = w.ann, domainname = 'ann.example.org') {
  const { items } = await w.apps.listProducts(w.admin, { limit: 1 })
  const templateId = items[0]?.templateId ?? (await w.product()).template.id
  return await w.apps.createDeployment(who, {
    userId: who.userId,
    templateId,
    domainname,
    userValues: { password: SENTINEL },
  })
}

const claimed = async (w: AppsWorld): Promise<Claim> => {
  const [claim] = await w.queue.claim('worker-1', 1)
  if (claim === undefined) throw new Error('nothing was due')
  return claim
}

const jobs = async (w: AppsWorld) => (await w.apps.listJobs(w.admin, { limit: 10 })).items

test('a job keeps its id from the wake to the end, whatever happens to it', async () => {
  await using w = await appsWorld()
  const deployment = await ordered(w)
  const [queued] = await jobs(w)
  expect(queued).toMatchObject({
    deploymentId: deployment.id,
    deploymentUid: deployment.deploymentUid,
    email: 'ann@example.org',
    reason: 'create',
    status: 'queued',
    attempt: 0,
    lockedBy: null,
    frozen: false,
  })
  const id = queued?.id ?? ''
  const first = await claimed(w)
  expect(await w.apps.getJob(w.ann, id)).toMatchObject({ status: 'running', lockedBy: 'worker-1', fence: first.fence })
  await w.queue.finish(first, { then: 'retry', afterMs: 0, failure })
  expect(await w.apps.getJob(w.ann, id)).toMatchObject({ status: 'queued', attempt: 1, lastError: failure })
  await w.queue.finish(await claimed(w), { then: 'park', failure })
  expect(await w.apps.getJob(w.ann, id)).toMatchObject({ status: 'failed', lastError: failure })
  expect(await w.apps.requeueJob(w.admin, id)).toMatchObject({ id, status: 'queued', attempt: 0 })
  await w.queue.finish(await claimed(w), { then: 'forget' })
  expect(await w.apps.getJob(w.ann, id)).toMatchObject({ status: 'done', lockedBy: 'worker-1', lastError: null })
  expect(await codeOf(w.apps.requeueJob(w.admin, id))).toBe('JobDone')
  await w.apps.enqueueReconcile(w.ann, deployment, 'retry')
  expect((await jobs(w)).map(({ status, reason }) => `${status} ${reason}`)).toEqual(['queued retry', 'done update'])
  await prune(w.database.pool, { historyMs: 0 })
  expect(await codeOf(w.apps.getJob(w.ann, id))).toBe('NotFound')
})

test('a second wake coalesces into the open job, with the stronger reason', async () => {
  await using w = await appsWorld()
  const deployment = await ordered(w)
  const [first] = await jobs(w)
  const again = await w.apps.enqueueReconcile(w.ann, deployment, 'drift')
  expect(again).toMatchObject({ id: first?.id, reason: 'create' })
  await w.apps.deleteDeployment(w.ann, deployment)
  expect((await jobs(w)).map(({ id, reason }) => [id, reason])).toEqual([[first?.id, 'delete']])
})

test('jobs are listed newest first, by status and deployment, in pages', async () => {
  await using w = await appsWorld()
  const [a, b] = [await ordered(w, w.ann, 'a.example.org'), await ordered(w, w.bob, 'b.example.org')]
  await w.queue.finish(await claimed(w), { then: 'forget' })
  const list = async (filter: object): Promise<string[]> => {
    const page = await w.apps.listJobs(w.admin, { limit: 1, ...filter })
    return [
      ...page.items.map((job) => job.deploymentId),
      ...(page.next ? await list({ ...filter, after: page.next }) : []),
    ]
  }
  expect(await list({})).toEqual([b.id, a.id])
  expect(await list({ status: 'done' })).toEqual([a.id])
  expect(await list({ deploymentId: b.id })).toEqual([b.id])
  expect((await w.apps.listJobs(w.bob, { limit: 5 })).items).toHaveLength(1)
})

test('keys that are of no deployment neither break the lists of jobs nor end them early', async () => {
  await using w = await appsWorld()
  const [a, b] = [await ordered(w, w.ann, 'a.example.org'), await ordered(w, w.bob, 'b.example.org')]
  const invented = ['foo', '', `{${a.id}`, '00000000-0000-4000-8000-000000000000']
  for (const id of invented) await w.queue.wake(deploymentKey(id), { reason: 'drift', tenant: w.ann.userId })
  const listed = async (actor: Actor, after?: readonly string[]): Promise<string[]> => {
    const { items, next } = await w.apps.listJobs(actor, { limit: 1, ...(after && { after }) })
    return [...items.map((job) => job.deploymentId), ...(next ? await listed(actor, next) : [])]
  }
  const expectAll = async (): Promise<void> => {
    expect(await listed(w.admin)).toEqual([b.id, a.id])
    expect(await listed(w.ann)).toEqual([a.id])
  }
  await expectAll()
  for (const id of invented) {
    const [{ number } = { number: '' }] = await w.database.pool.query<{ number: string }>(
      'select number from caelus.job where id = $1',
      [id],
    )
    expect(await codeOf(w.apps.getJob(w.admin, number))).toBe('NotFound')
  }
  for (const claim of await w.queue.claim('worker-1', 10)) await w.queue.finish(claim, { then: 'forget' })
  await expectAll()
})

test('a job failed by hand leaves the deployment in error, and the worker that ran it without a lease', async () => {
  await using w = await appsWorld()
  const deployment = await ordered(w)
  const claim = await claimed(w)
  const [{ id } = { id: '' }] = await jobs(w)
  expect(await codeOf(w.apps.failJob(w.ann, id, 'enough'))).toBe('NotAllowed')
  expect(await w.apps.failJob(w.admin, id, 'enough')).toMatchObject({
    id,
    status: 'failed',
    lastError: { code: 'FailedByHand', message: 'enough' },
  })
  expect(await w.apps.getDeployment(w.ann, deployment)).toMatchObject({
    status: 'error',
    lastError: { message: 'enough' },
  })
  const rows = deploymentRows(w.database.openPool({ role: 'caelus_worker' }))
  expect(await rows.write(deployment.id, claim.fence, { status: 'ready' })).toBe(false)
  expect(await w.queue.finish(claim, { then: 'forget' })).toBe(false)
})

test('nothing of a frozen tenant is claimed until it is unfrozen', async () => {
  await using w = await appsWorld()
  await ordered(w)
  expect(await codeOf(w.apps.freezeTenant(w.ann, w.bob.userId, 'for fun'))).toBe('NotAllowed')
  await w.apps.freezeTenant(w.admin, w.ann.userId, 'does not pay')
  expect(await w.queue.claim('w', 5)).toEqual([])
  expect(await jobs(w)).toMatchObject([{ frozen: true }])
  await w.apps.unfreezeTenant(w.admin, w.ann.userId)
  expect(await w.queue.claim('w', 5)).toHaveLength(1)
})

test('the scan for drift wakes every deployment that is not gone, also those that were given up', async () => {
  await using w = await appsWorld()
  for (const n of [1, 2, 3, 4, 5]) await ordered(w, w.ann, `d${n}.example.org`)
  for (const claim of await w.queue.claim('w', 5))
    await w.queue.finish(claim, claim.fence % 2 === 0 ? { then: 'park', failure } : { then: 'forget' })
  await w.database.pool.query(
    `update caelus.deployment set deleted_at = now(), status = 'deleted' where domainname = 'd5.example.org'`,
  )
  expect(await w.apps.scanDrift(w.admin, 2)).toBe(4)
  const claims = await w.queue.claim('w', 10)
  expect(new Set(claims.map(({ reason }) => reason))).toEqual(new Set(['drift']))
  expect(claims.filter(({ tenant }) => tenant === w.ann.userId)).toHaveLength(claims.length)
  expect(await codeOf(w.apps.scanDrift(w.ann))).toBe('NotAllowed')
})

test('rotating the key seals every row anew, goes on where it stopped, and passes over what it cannot open', async () => {
  await using w = await appsWorld()
  const deployments = []
  for (const n of [1, 2, 3, 4]) deployments.push(await ordered(w, w.ann, `d${n}.example.org`))
  const [lost] = deployments
  await w.database.pool.query(
    `update caelus.deployment set sealed_values = '{"/password": "v1.k0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}' where id = $1`,
    [lost?.id],
  )
  const apps = w.appsWith({ ring: ringOf('k2', 'k1') })
  await apps.updateDeployment(w.ann, { id: deployments[1]?.id ?? '' }, { userValues: { password: `new ${SENTINEL}` } })
  expect(await apps.rotateValuesKey(w.admin, 1)).toEqual({ resealed: 3, unreadable: [lost?.id] })
  expect(await apps.rotateValuesKey(w.admin, 1)).toEqual({ resealed: 0, unreadable: [lost?.id] })
  const onlyNew = w.appsWith({ ring: ringOf('k2') })
  for (const { id } of deployments.slice(1)) {
    const { before } = await onlyNew.previewUpdate(w.ann, { id }, {})
    expect(before?.values).toMatchObject({ user: { password: expect.stringContaining(SENTINEL) } })
  }
  expect((await w.apps.getDeployment(w.ann, { id: deployments[2]?.id ?? '' })).generation).toBe(1)
  expect(await codeOf(apps.rotateValuesKey(w.ann))).toBe('NotAllowed')
})

test('the timeline tells deeds, decisions and jobs, newest first and without secrets', async () => {
  await using w = await appsWorld()
  const deployment = await ordered(w)
  const { keep, flush } = decisionStore({ pool: w.database.pool })
  const run = { outcome: 'settled', ms: 1, attempt: 0 } as const
  // After everything that the test does, however long that takes.
  const at = Date.now() + 3_600_000
  const input = { values: { password: SENTINEL } }
  const made = {
    controller: APPS_QUEUE,
    key: deploymentKey(deployment.id),
    tenant: deployment.userId,
    input,
    masked: [],
    run,
  }
  keep({ ...made, at, decision: { step: { do: 'install' }, status: 'provisioning' } })
  keep({ ...made, at: at + 1, decision: { step: { do: 'refuse', failure }, status: 'error' } })
  await flush()
  await w.apps.updateDeployment(w.admin, deployment, { userValues: { message: 'hi' } })
  const seen = await w.apps.timeline(w.ann, deployment)
  expect(seen.map(({ source, what }) => `${source} ${what}`)).toEqual([
    'decision refuse',
    'decision install',
    'audit changed',
    'audit created',
    'job queued',
  ])
  expect(seen.map(({ actor, message }) => `${actor}: ${message}`)).toEqual([
    'platform: it cannot go on: it broke (Broken)',
    'platform: it is being installed',
    'an admin: the settings were changed',
    expect.stringMatching(/^ann@example.org: it was ordered, with version \S+ of the chart$/),
    'platform: it waits for a worker because it was ordered',
  ])
  expectNoSentinel(seen)
  expect(await w.apps.timeline(w.admin, deployment, 2)).toHaveLength(2)
})

test('which machine works on it is told to admins alone', async () => {
  await using w = await appsWorld()
  const deployment = await ordered(w)
  await w.queue.claim('host-7', 1)
  const workers = async (actor: typeof w.ann) =>
    (await w.apps.timeline(actor, deployment)).filter(({ source }) => source === 'job').map((entry) => entry.actor)
  expect(await workers(w.admin)).toEqual(['host-7'])
  expect(await workers(w.ann)).toEqual(['platform'])
  expect(JSON.stringify(await w.apps.timeline(w.ann, deployment))).not.toContain('host-7')
})
