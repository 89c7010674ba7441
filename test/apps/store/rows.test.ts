import { expect, test } from 'vitest'
import { deploymentRows } from '../../../src/domains/apps/store/index.ts'
import type { Claim } from '../../../src/kernel/index.ts'
import { asUser, type Actor } from '../../../src/store/index.ts'
import { waitingForLocks } from '../../support/postgres.ts'
import { appsWorld, codeOf, CHART, type AppsWorld } from './world.ts'

async function ordered(w: AppsWorld) {
  const { product, template } = await w.product()
  const input = { userId: w.ann.userId, templateId: template.id, domainname: 'ann.example.org' }
  return { product, template, deployment: await w.apps.createDeployment(w.ann, input) }
}

const claimed = async (w: AppsWorld, worker = 'w'): Promise<Claim> => {
  const [claim] = await w.queue.claim(worker, 1)
  if (claim === undefined) throw new Error('nothing was due')
  return claim
}

const workerRows = (w: AppsWorld) => deploymentRows(w.database.openPool({ role: 'caelus_worker' }))

test('the API role sees and changes the caller’s rows, and all of them for an admin', async () => {
  await using w = await appsWorld()
  await ordered(w)
  const count = (actor: Actor, table: string): Promise<number> =>
    asUser(w.database.pool, actor, async (tx) => (await tx.query(`select from caelus.${table}`)).length)
  const seen = (actor: Actor): Promise<number[]> =>
    Promise.all(
      ['product', 'product_template_version', 'deployment', 'deployment_reconcile_job'].map((table) =>
        count(actor, table),
      ),
    )
  expect(await seen(w.ann)).toEqual([1, 1, 1, 1])
  expect(await seen(w.bob)).toEqual([1, 1, 0, 0])
  expect(await seen(w.admin)).toEqual([1, 1, 1, 1])
  expect(await seen({ admin: false })).toEqual([0, 0, 0, 0])
})

test.each([
  [`update caelus.deployment set domainname = 'x.example.org' returning id`],
  [`update caelus.product set name = 'mine' returning id`],
  [`update caelus.product_template_version set deleted_at = now() returning id`],
])('a tenant changes nothing of others by %s', async (statement) => {
  await using w = await appsWorld()
  await ordered(w)
  expect(await asUser(w.database.pool, w.bob, (tx) => tx.query(statement))).toEqual([])
})

test('a tenant cannot write a row for another, nor products', async () => {
  await using w = await appsWorld()
  const { template } = await ordered(w)
  const asBob = (statement: string, values: readonly string[] = []): Promise<unknown> =>
    asUser(w.database.pool, w.bob, (tx) => tx.query(statement, values))
  await expect(
    asBob(
      `insert into caelus.deployment (deployment_uid, namespace_name, release_name, user_id, domainname, desired_template_id)
       values ('a', 'a', 'a', $1, 'x.example.org', $2)`,
      [w.ann.userId, template.id],
    ),
  ).rejects.toThrow('row-level security')
  await expect(asBob(`insert into caelus.product (name) values ('mine')`)).rejects.toThrow('row-level security')
  await expect(asBob('delete from caelus.deployment')).rejects.toThrow('permission denied')
})

test.each([
  ['users', `update caelus.user set is_admin = true`],
  ['products', `update caelus.product set name = 'x'`],
  ['templates', `update caelus.product_template_version set deleted_at = now()`],
  ['domains', `update caelus.deployment set domainname = 'x.example.org'`],
  ['values', `update caelus.deployment set user_values_json = '{}'`],
  ['generations', `update caelus.deployment set generation = 7`],
  ['deletions', `update caelus.deployment set deleted_at = now()`],
  ['the rows themselves', `delete from caelus.deployment`],
])('the worker role cannot write %s', async (_, statement) => {
  await using w = await appsWorld()
  await ordered(w)
  const worker = w.database.openPool({ role: 'caelus_worker' })
  expect(await worker.query('select from caelus.deployment')).toHaveLength(1)
  await expect(worker.query(statement)).rejects.toThrow('permission denied')
})

test.each([
  [`update caelus.product_template_version set chart_version = '9.9.9'`, 'never changes but for deleted_at'],
  [`update caelus.product_template_version set default_values_json = '{}'`, 'never changes but for deleted_at'],
  [`update caelus.deployment set deployment_uid = 'a', namespace_name = 'a', release_name = 'a'`, 'never changes'],
  [`update caelus.deployment set user_id = (select id from caelus.user where is_admin)`, 'never changes'],
  [`update caelus.deployment set created_at = now() - interval '1 day'`, 'never changes'],
  [`update caelus.deployment set generation = generation - 1`, 'only grows'],
  [`update caelus.deployment set namespace_name = 'kube-system'`, 'never changes'],
  [`update caelus.deployment set status = 'broken'`, 'deployment_status_check'],
  [`update caelus.deployment set status = 'deleted'`, 'deployment_check'],
  [`update caelus.deployment set domainname = 'Upper.example.org'`, 'deployment_domainname_check'],
  [`update caelus.deployment set observed_generation = 9`, 'deployment_check'],
  [`update caelus.deployment set last_error = '"it broke"'`, 'deployment_last_error_check'],
])('nobody, not even the owner of the tables, gets past: %s', async (statement, why) => {
  await using w = await appsWorld()
  await ordered(w)
  await expect(w.database.pool.query(statement)).rejects.toThrow(why)
})

test('a deletion stays', async () => {
  await using w = await appsWorld()
  const { deployment } = await ordered(w)
  await w.apps.deleteDeployment(w.ann, deployment)
  await expect(w.database.pool.query('update caelus.deployment set deleted_at = null')).rejects.toThrow('taken back')
})

test('the worker loads a deployment with owner and template, also when the template is deleted', async () => {
  await using w = await appsWorld()
  const { product, template, deployment } = await ordered(w)
  const next = await w.apps.publishTemplate(w.admin, { productId: product.id, ...CHART, chartVersion: '2.0.0' })
  await w.apps.setCanonicalTemplate(w.admin, product.id, next.id)
  await w.apps.deleteTemplate(w.admin, template.id)
  const rows = workerRows(w)
  expect(await rows.load(deployment.id)).toMatchObject({
    deployment: { id: deployment.id, generation: 1 },
    owner: { email: 'ann@example.org' },
    template: { id: template.id, deletedAt: expect.any(Number) },
  })
  expect(await rows.load('nonsense')).toBeUndefined()
  expect(await rows.load(w.ann.userId)).toBeUndefined()
})

test('the holder of the lease writes what it saw, and only the columns it names', async () => {
  await using w = await appsWorld()
  const { deployment, template } = await ordered(w)
  const rows = workerRows(w)
  const { fence } = await claimed(w)
  const failure = { code: 'X', message: 'x', whoseMove: 'user', retryable: true, nextStep: 'y' } as const
  const patch = {
    status: 'ready',
    appliedTemplateId: template.id,
    observedGeneration: 1,
    lastError: failure,
    lastReconcileAt: 1_700_000_000_123,
    nextReconcileAt: 1_700_000_000_456,
  } as const
  expect(await rows.write(deployment.id, fence, patch)).toBe(true)
  expect((await rows.load(deployment.id))?.deployment).toMatchObject(patch)
  expect(await rows.write(deployment.id, fence, { lastError: null, nextReconcileAt: null })).toBe(true)
  expect((await rows.load(deployment.id))?.deployment).toMatchObject({
    ...patch,
    lastError: null,
    nextReconcileAt: null,
  })
})

test('a worker whose lease has passed on writes nothing', async () => {
  await using w = await appsWorld()
  const { deployment } = await ordered(w)
  const rows = workerRows(w)
  const zombie = await claimed(w, 'zombie')
  await w.database.pool.query(`update caelus.job set lease_until = now() - interval '1 second'`)
  const heir = await claimed(w, 'heir')
  expect(await rows.write(deployment.id, zombie.fence, { status: 'ready' })).toBe(false)
  expect(await rows.write(deployment.id, heir.fence, { status: 'provisioning' })).toBe(true)
  await w.queue.finish(heir, { then: 'forget' })
  expect(await rows.write(deployment.id, heir.fence, { status: 'ready' })).toBe(false)
  expect((await rows.load(deployment.id))?.deployment.status).toBe('provisioning')
})

test('a lease that passes on while the write of its holder waits for the row keeps it from writing', async () => {
  await using w = await appsWorld()
  const { deployment } = await ordered(w)
  const rows = workerRows(w)
  const { fence } = await claimed(w)
  await w.database.pool.query(`update caelus.job set lease_until = now() - interval '1 second'`)
  const writing = await asUser(w.database.pool, w.ann, async (tx) => {
    await tx.query('select from caelus.deployment for update')
    const write = rows.write(deployment.id, fence, { status: 'provisioning' })
    await expect.poll(() => waitingForLocks(w.database.pool)).toBe(1)
    expect(await w.queue.claim('heir', 1)).toHaveLength(1)
    return { write }
  })
  expect(await writing.write).toBe(false)
})

test('a run that began before the deletion does not say ready after it', async () => {
  await using w = await appsWorld()
  const { deployment } = await ordered(w)
  const rows = workerRows(w)
  const { fence } = await claimed(w)
  await w.apps.deleteDeployment(w.ann, deployment)
  expect(await rows.write(deployment.id, fence, { status: 'ready', observedGeneration: 1 })).toBe(true)
  expect((await rows.load(deployment.id))?.deployment).toMatchObject({ status: 'deleting', observedGeneration: 1 })
  expect(await rows.write(deployment.id, fence, { status: 'deleted' })).toBe(true)
  expect((await rows.load(deployment.id))?.deployment.status).toBe('deleted')
})

test('those of which something may be left are paged by id', async () => {
  await using w = await appsWorld()
  const { template } = await w.product()
  for (const n of [1, 2, 3, 4])
    await w.apps.createDeployment(w.ann, {
      userId: w.ann.userId,
      templateId: template.id,
      domainname: `d${n}.example.org`,
    })
  await w.database.pool.query(
    `update caelus.deployment set deleted_at = now(), status = case domainname when 'd1.example.org' then 'deleted' else 'error' end
     where domainname in ('d1.example.org', 'd2.example.org')`,
  )
  const rows = workerRows(w)
  const first = await rows.living(undefined, 2)
  const rest = await rows.living(first.at(-1)?.id, 2)
  expect([first.length, rest.length]).toEqual([2, 1])
  const ids = [...first, ...rest].map(({ id }) => id)
  expect(ids).toEqual(ids.toSorted())
  expect(await codeOf(rows.living(ids[2], 2))).toBe('succeeded')
})

test('a change of a person and the write of a worker never deadlock', async () => {
  await using w = await appsWorld()
  const { deployment } = await ordered(w)
  const { fence } = await claimed(w)
  const rows = workerRows(w)
  const deadlocks = async (): Promise<number> => {
    const [row] = await w.database.pool.query<{ deadlocks: number }>(
      `select pg_stat_force_next_flush(), deadlocks::int from pg_stat_database where datname = current_database()`,
    )
    return row?.deadlocks ?? -1
  }
  const times = Array.from({ length: 200 }, (_, n) => n)
  await Promise.all([
    (async () => {
      for (const n of times) expect(await rows.write(deployment.id, fence, { helmRevision: n + 1 })).toBe(true)
    })(),
    (async () => {
      for (const _ of times) await w.apps.retryDeployment(w.ann, { userId: w.ann.userId, id: deployment.id })
    })(),
  ])
  expect(await deadlocks()).toBe(0)
})
