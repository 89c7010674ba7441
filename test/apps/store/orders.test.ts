import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/domains/apps/index.ts'
import { deploymentKey } from '../../../src/domains/apps/queue.ts'
import { asUser, auditOf } from '../../../src/store/index.ts'
import { SENTINEL, sentinelIn } from '../../support/sentinel.ts'
import { waitingForLocks } from '../../support/postgres.ts'
import { appsWorld, CHART, codeOf, fieldsOf, registry, SCHEMA, type AppsWorld } from './world.ts'

/** A product and an order of it by Ann. */
async function ordered(
  w: AppsWorld,
  userValues: Parameters<AppsWorld['apps']['createDeployment']>[1]['userValues'] = {},
) {
  const { product, template } = await w.product()
  const input = { userId: w.ann.userId, templateId: template.id, domainname: 'Ann.Example.org.', userValues }
  return { product, template, deployment: await w.apps.createDeployment(w.ann, input) }
}

const publish = (w: AppsWorld, productId: string, chartVersion: string, more = {}) =>
  w.apps.publishTemplate(w.admin, { productId, ...CHART, chartVersion, ...more })

test('an order is a row, a word in the audit and a wake, for its tenant', async () => {
  await using w = await appsWorld()
  const { deployment } = await ordered(w, { message: 'hi' })
  expect(deployment).toMatchObject({
    domainname: 'ann.example.org',
    userValues: { message: 'hi' },
    status: 'pending',
    generation: 1,
    observedGeneration: 0,
    email: 'ann@example.org',
    product: { name: 'Hello' },
  })
  expect(deployment.deploymentUid).toMatch(/^hello-ann-example-org-[0-9a-z]{6}$/)
  expect([deployment.namespaceName, deployment.releaseName]).toEqual([
    deployment.deploymentUid,
    deployment.deploymentUid,
  ])
  expect(await w.queue.claim('w', 5)).toMatchObject([
    { key: deploymentKey(deployment.id), reason: 'created', tenant: w.ann.userId },
  ])
  expect(await auditOf(w.database.pool, deploymentKey(deployment.id))).toMatchObject([
    { actor: w.ann.userId, action: 'created' },
  ])
})

test('a connection that breaks after the wake and before the commit leaves neither row nor wake nor word', async () => {
  await using w = await appsWorld()
  const { template } = await w.product()
  const wakeIn: typeof w.queue.wakeIn = async (tx, ...calls) => {
    await w.queue.wakeIn(tx, ...calls)
    const [me] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
    await w.database.pool.query('select pg_terminate_backend($1)', [me?.pid])
  }
  const input = { userId: w.ann.userId, templateId: template.id, domainname: 'a.example.org' }
  expect(await codeOf(w.appsWith({ queue: { wakeIn } }).createDeployment(w.ann, input))).toBe('DatabaseUnavailable')
  expect((await w.apps.listDeployments(w.admin, { limit: 5 })).items).toEqual([])
  expect(await w.queue.claim('w', 5)).toEqual([])
  expect(await w.database.pool.query(`select from caelus.audit where object_kind = 'Deployment'`)).toEqual([])
})

test('everything that is wrong with an order is told at once, by field', async () => {
  await using w = await appsWorld()
  const { template } = await w.product()
  const order = (more: object): Promise<unknown> =>
    w.apps.createDeployment(w.ann, {
      userId: w.ann.userId,
      templateId: template.id,
      domainname: 'a.example.org',
      ...more,
    })
  const fields = await fieldsOf(order({ domainname: 'no spaces', userValues: { replicas: 9, colour: 'red' } }))
  expect(Object.keys(fields).toSorted()).toEqual(['/user/colour', '/user/replicas', 'domainname'])
  expect(await fieldsOf(order({ templateId: 'nonsense' }))).toHaveProperty('template_id')
  expect(await codeOf(order({ userId: w.bob.userId }))).toBe('NotFound')
  expect(await codeOf(order({ userId: 'nonsense' }))).toBe('NotFound')
  expect(await w.queue.claim('w', 5)).toEqual([])
})

test('text that cannot be stored is refused by field, not by the database', async () => {
  await using w = await appsWorld()
  const { template } = await w.product()
  const order = (userValues: JsonObject): Promise<unknown> =>
    w.apps.createDeployment(w.ann, {
      userId: w.ann.userId,
      templateId: template.id,
      domainname: 'a.example.org',
      userValues,
    })
  expect(Object.keys(await fieldsOf(order({ message: 'a\0b' })))).toEqual(['/user/message'])
  expect(Object.keys(await fieldsOf(order({ message: '\ud800' })))).toEqual(['/user/message'])
  expect(Object.keys(await fieldsOf(order({ password: 'long enough\0' })))).toEqual(['/user/password'])
  expect(Object.keys(await fieldsOf(w.apps.createProduct(w.admin, { name: 'a\0' })))).toEqual(['name'])
  expect(await codeOf(order({ message: '“quotes”, \n, {{ .Values }}, <b>, 😀' }))).toBe('succeeded')
})

test('a product without a schema of settings takes none', async () => {
  await using w = await appsWorld()
  const { id: productId } = await w.apps.createProduct(w.admin, { name: 'Plain' })
  const apps = w.appsWith({ charts: registry({ valuesSchema: null }) })
  const { id: templateId } = await apps.publishTemplate(w.admin, { productId, ...CHART })
  const input = { userId: w.ann.userId, templateId, domainname: 'a.example.org' }
  expect(await fieldsOf(apps.createDeployment(w.ann, { ...input, userValues: { message: 'x' } }))).toEqual({
    '/user/message': 'cannot be set: this product takes no settings',
  })
  await apps.createDeployment(w.ann, input)
})

test('a domain belongs to one deployment until that is deleted, also among tenants who cannot see each other', async () => {
  await using w = await appsWorld()
  const { template, deployment } = await ordered(w)
  const order = (): Promise<unknown> =>
    w.apps.createDeployment(w.bob, { userId: w.bob.userId, templateId: template.id, domainname: 'ANN.example.org' })
  expect(await codeOf(order())).toBe('DomainTaken')
  await w.apps.deleteDeployment(w.ann, deployment)
  expect(await codeOf(order())).toBe('DomainTaken')
  await w.database.pool.query(`update caelus.deployment set status = 'deleted'`)
  expect(await codeOf(order())).toBe('succeeded')
})

test('of two who order the same domain at once, one gets it', async () => {
  await using w = await appsWorld()
  const { template } = await w.product()
  const codes = await Promise.all(
    [w.ann, w.bob].map((who) =>
      codeOf(
        w.apps.createDeployment(who, { userId: who.userId, templateId: template.id, domainname: 'one.example.org' }),
      ),
    ),
  )
  expect(codes.toSorted()).toEqual(['DomainTaken', 'succeeded'])
})

test('a name that is in use is drawn again', async () => {
  await using w = await appsWorld()
  const { template } = await w.product()
  const draws = [...Array<number>(12).fill(0), ...Array<number>(6).fill(0.5)]
  const apps = w.appsWith({ random: () => draws.shift() ?? 0.9 })
  const order = (domainname: string) =>
    apps.createDeployment(w.ann, { userId: w.ann.userId, templateId: template.id, domainname })
  expect((await order('a.example.org')).deploymentUid).toBe('hello-ann-example-org-000000')
  expect((await order('b.example.org')).deploymentUid).toBe('hello-ann-example-org-iiiiii')
})

test('write-only values are sealed, kept when absent, removed by null, and in no table in clear', async () => {
  await using w = await appsWorld()
  const { deployment } = await ordered(w, { message: 'hi', password: SENTINEL })
  expect(deployment.userValues).toEqual({ message: 'hi' })
  expect(Object.keys(deployment.sealedValues)).toEqual(['/password'])
  const kept = await w.apps.updateDeployment(w.ann, deployment, { userValues: { message: 'ho' } })
  expect(kept.sealedValues).toEqual(deployment.sealedValues)
  expect(await fieldsOf(w.apps.updateDeployment(w.ann, deployment, { userValues: { password: 'short' } }))).toEqual({
    '/user/password': expect.not.stringContaining('short'),
  })
  await w.apps.timeline(w.ann, deployment)
  expect(await tablesWith(w, (row) => sentinelIn(row).length > 0)).toEqual([])
  expect(await tablesWith(w, (row) => row.includes('ann.example.org'))).toContain('deployment')
  const removed = await w.apps.updateDeployment(w.ann, deployment, { userValues: { message: 'ho', password: null } })
  expect(removed.sealedValues).toEqual({})
  expect(removed.generation).toBe(3)
})

async function tablesWith({ database: { pool } }: AppsWorld, holds: (row: string) => boolean): Promise<string[]> {
  const tables = await pool.query<{ name: string }>(
    `select c.relname as name from pg_class c where relnamespace = 'caelus'::regnamespace and relkind = 'r'`,
  )
  const holding = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await pool.query<{ row: string }>(`select to_jsonb(t)::text as row from caelus."${name}" as t`)
      return rows.some(({ row }) => holds(row)) ? [name] : []
    }),
  )
  return holding.flat()
}

test('without a key write-only values are refused, and everything else works', async () => {
  await using w = await appsWorld()
  const { deployment } = await ordered(w, { password: SENTINEL })
  const apps = w.appsWith({ ring: undefined })
  expect(await codeOf(apps.updateDeployment(w.ann, deployment, { userValues: {} }))).toBe('ValuesUnreadable')
  expect(await codeOf(apps.updateDeployment(w.ann, deployment, { domainname: 'b.example.org' }))).toBe('succeeded')
})

test('a template that forgets that a field was write-only does not bring it to light', async () => {
  await using w = await appsWorld()
  const { product, deployment } = await ordered(w, { password: SENTINEL })
  const { user } = SCHEMA.properties
  const valuesSchema = {
    ...SCHEMA,
    properties: { user: { ...user, properties: { ...user.properties, password: { type: 'string' } } } },
  }
  const next = await publish(w, product.id, '1.1.0', { valuesSchema })
  const upgraded = await w.apps.updateDeployment(w.admin, deployment, { templateId: next.id })
  expect(upgraded).toMatchObject({ desiredTemplateId: next.id, userValues: {} })
  expect(Object.keys(upgraded.sealedValues)).toEqual(['/password'])
})

test('a change bumps the generation and wakes; one that changes nothing does neither', async () => {
  await using w = await appsWorld()
  const { deployment } = await ordered(w, { message: 'hi', password: SENTINEL })
  await w.database.pool.query('delete from caelus.job')
  const same = { domainname: 'ANN.example.org', userValues: { message: 'hi', password: SENTINEL } }
  expect(await w.apps.updateDeployment(w.ann, deployment, same)).toEqual({ ...deployment, nextReconcileAt: null })
  expect(await w.queue.claim('w', 5)).toEqual([])
  const changed = await w.apps.updateDeployment(w.ann, deployment, { domainname: 'new.example.org' })
  expect(changed).toMatchObject({
    generation: 2,
    domainname: 'new.example.org',
    deploymentUid: deployment.deploymentUid,
  })
  expect(await w.queue.claim('w', 5)).toMatchObject([{ reason: 'changed', tenant: w.ann.userId }])
})

test('a change made on an older generation is refused; of two at once the second is', async () => {
  await using w = await appsWorld()
  const { deployment } = await ordered(w)
  const change = (message: string): Promise<string> =>
    codeOf(w.apps.updateDeployment(w.ann, deployment, { userValues: { message } }, { ifGeneration: 1 }))
  expect((await Promise.all([change('a'), change('b')])).toSorted()).toEqual(['ChangedMeanwhile', 'succeeded'])
  expect(await codeOf(w.apps.deleteDeployment(w.ann, deployment, { ifGeneration: 1 }))).toBe('ChangedMeanwhile')
  expect(await w.apps.getDeployment(w.ann, deployment)).toMatchObject({ generation: 2, deletedAt: null })
})

test('changes without a precondition are applied one after the other, none is lost', async () => {
  await using w = await appsWorld()
  const { deployment } = await ordered(w)
  await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      w.apps.updateDeployment(w.ann, deployment, { domainname: `d${i}.example.org` }),
    ),
  )
  expect(await w.apps.getDeployment(w.ann, deployment)).toMatchObject({ generation: 9 })
})

test('an update during a run makes the job run again', async () => {
  await using w = await appsWorld()
  const { deployment } = await ordered(w)
  const [claim] = await w.queue.claim('w', 1)
  await w.apps.updateDeployment(w.ann, deployment, { userValues: { message: 'newer' } })
  if (claim) await w.queue.finish(claim, { then: 'forget' })
  expect(await w.queue.claim('w', 1)).toMatchObject([{ key: deploymentKey(deployment.id), reason: 'changed' }])
})

test('a deletion supersedes what is under way, cannot be taken back, and is harmless twice', async () => {
  await using w = await appsWorld()
  const { deployment } = await ordered(w)
  const [claim] = await w.queue.claim('w', 1)
  const gone = await w.apps.deleteDeployment(w.ann, deployment)
  expect(gone).toMatchObject({ status: 'deleting', generation: 2, deletedAt: expect.any(Number) })
  expect(await w.apps.deleteDeployment(w.ann, deployment, { ifGeneration: 1 })).toEqual(gone)
  expect(await codeOf(w.apps.updateDeployment(w.ann, deployment, { domainname: 'x.example.org' }))).toBe('BeingDeleted')
  if (claim) await w.queue.finish(claim, { then: 'forget' })
  expect(await w.queue.claim('w', 1)).toMatchObject([{ reason: 'deleted' }])
})

test('only an admin moves a deployment to another template: of the same product, not older, by version', async () => {
  await using w = await appsWorld()
  const { product, template, deployment } = await ordered(w)
  const other = await w.product('Other')
  const newer = await publish(w, product.id, '1.10.0')
  const older = await publish(w, product.id, '1.9.0')
  const move = (who: typeof w.ann, templateId: string): Promise<string> =>
    codeOf(w.apps.updateDeployment(who, deployment, { templateId }))
  expect(await move(w.ann, newer.id)).toBe('UpgradeNotAllowed')
  expect(await move(w.ann, template.id)).toBe('succeeded')
  expect(await move(w.admin, other.template.id)).toBe('ForeignProduct')
  expect(await move(w.admin, newer.id)).toBe('succeeded')
  expect(await move(w.admin, older.id)).toBe('DowngradeRefused')
  expect(await move(w.admin, template.id)).toBe('DowngradeRefused')
  expect((await w.apps.getDeployment(w.ann, deployment)).desiredTemplateId).toBe(newer.id)
})

test('an upgrade is refused if the stored values do not fit the new schema', async () => {
  await using w = await appsWorld()
  const { product, deployment } = await ordered(w, { replicas: 4 })
  const valuesSchema = {
    type: 'object',
    properties: { user: { type: 'object', properties: { replicas: { type: 'integer', maximum: 3 } } } },
  }
  const next = await publish(w, product.id, '2.0.0', { valuesSchema })
  expect(Object.keys(await fieldsOf(w.apps.updateDeployment(w.admin, deployment, { templateId: next.id })))).toEqual([
    '/user/replicas',
  ])
  const change = { templateId: next.id, userValues: { replicas: 3 } }
  expect(await w.apps.updateDeployment(w.admin, deployment, change)).toMatchObject({ userValues: { replicas: 3 } })
})

test('another tenant’s deployment does not exist', async () => {
  await using w = await appsWorld()
  const { deployment } = await ordered(w)
  const { id } = deployment
  const attempts = [
    w.apps.getDeployment(w.bob, { id }),
    w.apps.updateDeployment(w.bob, { id }, { domainname: 'bob.example.org' }),
    w.apps.deleteDeployment(w.bob, { id }),
    w.apps.previewUpdate(w.bob, { id }, {}),
    w.apps.timeline(w.bob, { id }),
    w.apps.enqueueReconcile(w.bob, { id }, 'update'),
    w.apps.getDeployment(w.ann, { id, userId: w.bob.userId }),
    w.apps.getDeployment(w.admin, { id, userId: w.bob.userId }),
    w.apps.getDeployment(w.admin, { id: 'nonsense' }),
  ]
  expect(new Set(await Promise.all(attempts.map(codeOf)))).toEqual(new Set(['NotFound']))
  expect((await w.apps.listDeployments(w.bob, { limit: 5 })).items).toEqual([])
  expect((await w.apps.listJobs(w.bob, { limit: 5 })).items).toEqual([])
  expect((await w.apps.listDeployments(w.admin, { limit: 5 })).items).toHaveLength(1)
})

test('deployments are listed newest first, in pages, by owner, product, name and status', async () => {
  await using w = await appsWorld()
  const { template } = await w.product()
  for (const [i, who] of [w.ann, w.bob, w.ann, w.bob, w.ann].entries()) {
    const input = { userId: who.userId, templateId: template.id, domainname: `d${i}.example.org` }
    await w.apps.createDeployment(w.admin, input)
  }
  const domains = async (filter: Parameters<typeof w.apps.listDeployments>[1]): Promise<string[]> => {
    const page = await w.apps.listDeployments(w.admin, filter)
    const rest = page.next === null ? [] : await domains({ ...filter, after: page.next })
    return [...page.items.map(({ domainname }) => domainname.slice(0, 2)), ...rest]
  }
  expect(await domains({ limit: 2 })).toEqual(['d4', 'd3', 'd2', 'd1', 'd0'])
  expect(await domains({ limit: 2, userId: w.ann.userId })).toEqual(['d4', 'd2', 'd0'])
  expect(await domains({ limit: 2, status: 'ready' })).toEqual([])
  expect(await domains({ limit: 5, productId: template.id })).toEqual([])
  expect(await domains({ limit: 5, name: 'D3.example.org' })).toEqual(['d3'])
  expect(await domains({ limit: 5, name: 'd3.example.org', userId: w.ann.userId })).toEqual([])
  await w.database.pool.query(
    `update caelus.deployment set status = 'deleted', deleted_at = now() where domainname = 'd3.example.org'`,
  )
  expect(await domains({ limit: 5 })).toEqual(['d4', 'd2', 'd1', 'd0'])
  expect(await domains({ limit: 5, status: 'deleted' })).toEqual(['d3'])
  expect(await domains({ limit: 2, withDeleted: true })).toHaveLength(5)
  expect(await domains({ limit: 5, name: 'd3.example.org' })).toEqual([])
  expect(await domains({ limit: 5, name: 'd3.example.org', withDeleted: true })).toEqual(['d3'])
})

test('a preview has the values that Helm would get before and after, and saves nothing', async () => {
  await using w = await appsWorld()
  const { template, deployment } = await ordered(w, { message: 'hi', password: SENTINEL })
  const { before, after, secrets } = await w.apps.previewUpdate(w.ann, deployment, {
    domainname: 'b.example.org',
    userValues: { message: 'ho' },
  })
  expect(before?.values).toMatchObject({
    image: 'nginx',
    user: { message: 'hi', replicas: 1, password: SENTINEL },
    ingress: { host: 'ann.example.org', className: 'nginx' },
    caelus: { deploymentUid: deployment.deploymentUid },
  })
  expect(after.values).toMatchObject({
    user: { message: 'ho', password: SENTINEL },
    ingress: { host: 'b.example.org' },
  })
  expect(secrets).toContain(SENTINEL)
  const input = { userId: w.bob.userId, templateId: template.id, domainname: 'bob.example.org' }
  expect(await w.apps.previewCreate(w.bob, input)).toMatchObject({ after: { deployment: { generation: 1 } } })
  expect(await codeOf(w.apps.previewCreate(w.bob, { ...input, domainname: 'ann.example.org' }))).toBe('DomainTaken')
  expect(await codeOf(w.apps.previewUpdate(w.ann, deployment, { userValues: { replicas: 9 } }))).toBe('InvalidRequest')
  expect(await w.apps.getDeployment(w.ann, deployment)).toEqual(deployment)
  expect((await w.apps.listDeployments(w.admin, { limit: 5 })).items).toHaveLength(1)
})

test('an order and the deletion of its template cannot pass each other', async () => {
  await using w = await appsWorld()
  const { product } = await w.product()
  const next = await publish(w, product.id, '1.1.0')
  const answer = await asUser(w.database.pool, w.admin, async (tx) => {
    await tx.query(`select from caelus.product_template_version where id = $1 for update`, [next.id])
    const input = { userId: w.ann.userId, templateId: next.id, domainname: 'a.example.org' }
    const ordering = fieldsOf(w.apps.createDeployment(w.ann, input))
    // The order has been judged and now waits for the template that it refers to.
    await expect.poll(() => waitingForLocks(w.database.pool)).toBe(1)
    await tx.query('update caelus.product_template_version set deleted_at = now() where id = $1', [next.id])
    return { ordering }
  })
  expect(await answer.ordering).toEqual({ template_id: 'was deleted at this moment' })
})

test('a template that was published later is offered: the canonical one, or the last where none is', async () => {
  await using w = await appsWorld()
  const { product, template, deployment } = await ordered(w)
  const offered = async (actor = w.ann) => (await w.apps.getDeployment(actor, deployment)).upgrade?.id ?? null
  const behind = async () =>
    (await w.apps.listDeployments(w.admin, { limit: 9, behind: true })).items.map(({ id }) => id)
  expect([await offered(), await behind()]).toEqual([null, []])

  const tried = await publish(w, product.id, '1.1.0', { versionLabel: 'trial' })
  expect(await offered()).toBeNull()
  const newer = await publish(w, product.id, '1.2.0', { canonical: true })
  expect((await w.apps.getDeployment(w.ann, deployment)).upgrade).toEqual({
    id: newer.id,
    chartVersion: '1.2.0',
    versionLabel: null,
    publishedAt: newer.createdAt,
  })
  expect(await behind()).toEqual([deployment.id])
  expect((await w.apps.listDeployments(w.bob, { limit: 9, behind: true })).items).toEqual([])

  // An earlier one that is canonical again is no upgrade.
  await w.apps.setCanonicalTemplate(w.admin, product.id, template.id)
  expect(await offered()).toBeNull()
  await w.database.pool.query('update caelus.product set template_id = null')
  expect(await offered()).toBe(newer.id)
  await w.apps.deleteTemplate(w.admin, newer.id)
  expect(await offered()).toBe(tried.id)
  await w.apps.updateDeployment(w.admin, deployment, { templateId: tried.id })
  expect([await offered(), await behind()]).toEqual([null, []])

  await publish(w, product.id, '1.3.0', { canonical: true })
  expect(await behind()).toEqual([deployment.id])
  await w.apps.deleteProduct(w.admin, product.id)
  expect(await behind()).toEqual([])
})
