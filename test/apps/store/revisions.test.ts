import { expect, test } from 'vitest'
import type { RevisionEntry } from '../../../src/domains/apps/usecases/index.ts'
import { deploymentKey } from '../../../src/domains/apps/queue.ts'
import { asUser, auditOf, migrate, readMigrations } from '../../../src/store/index.ts'
import { emptyDatabase, onServer } from '../../support/postgres.ts'
import { SENTINEL, sentinelIn } from '../../support/sentinel.ts'
import { appsWorld, CHART, codeOf, fieldsOf, ringOf, type AppsWorld } from './world.ts'

async function ordered(w: AppsWorld, userValues = {}, domainname = 'ann.example.org') {
  const { product, template } = await w.product()
  const input = { userId: w.ann.userId, templateId: template.id, domainname, userValues }
  const { id } = await w.apps.createDeployment(w.ann, input)
  return { id, product, template }
}

const historyOf = async (w: AppsWorld, id: string, actor = w.ann): Promise<readonly RevisionEntry[]> =>
  (await w.apps.listRevisions(actor, { id }, { limit: 50 })).items

const statusOf = (w: AppsWorld, id: string, columns: string): Promise<unknown> =>
  w.database.pool.query(`update caelus.deployment set ${columns} where id = $1`, [id])

test('every generation is kept with who asked for it, what changed and what became of it', async () => {
  await using w = await appsWorld()
  const { id, product, template } = await ordered(w, { message: 'one', password: `first ${SENTINEL}` })
  await statusOf(w, id, `status = 'ready', observed_generation = 1, status_generation = 1, helm_revision = 1`)
  await w.apps.updateDeployment(w.ann, { id }, { userValues: { message: 'two', password: `second ${SENTINEL}` } })
  await statusOf(
    w,
    id,
    `status = 'stalled', status_generation = 2, rollout_json = '{"rollbacks": 1, "failedRevision": 2, "failure": {"code": "NeverHealthy"}}',
     last_error = '{"code": "NeverHealthy", "message": "m", "whoseMove": "user", "retryable": false, "nextStep": "n"}'`,
  )
  const newer = await w.apps.publishTemplate(w.admin, { productId: product.id, ...CHART, chartVersion: '1.1.0' })
  await w.apps.updateDeployment(w.admin, { id }, { templateId: newer.id, domainname: 'other.example.org' })
  await w.apps.updateDeployment(w.ann, { id }, { userValues: { replicas: 2 } })
  const history = await historyOf(w, id)
  expect(history.map(({ createdAt: _at, ...rest }) => rest)).toEqual([
    {
      generation: 4,
      template: { id: newer.id, chartVersion: '1.1.0', versionLabel: null, isDeleted: false },
      domainname: 'other.example.org',
      changedBy: 'ann@example.org',
      changed: ['user_values.message', 'user_values.replicas'],
      rolledBackTo: null,
      outcome: 'pending',
      failureCode: null,
      helmRevision: null,
    },
    expect.objectContaining({
      generation: 3,
      changedBy: 'an admin',
      changed: ['template', 'domainname'],
      outcome: 'superseded',
      failureCode: null,
      helmRevision: null,
    }),
    expect.objectContaining({
      generation: 2,
      template: expect.objectContaining({ id: template.id }),
      changed: ['user_values.message', 'user_values.password'],
      outcome: 'rolled_back',
      failureCode: 'NeverHealthy',
      helmRevision: 2,
    }),
    expect.objectContaining({ generation: 1, changed: null, outcome: 'ready', failureCode: null, helmRevision: 1 }),
  ])
  expect(sentinelIn(JSON.stringify(history))).toEqual([])
})

test('the history of a deployment is paged, bounded, and for those alone who may see the deployment', async () => {
  await using w = await appsWorld()
  const { id } = await ordered(w, { replicas: 1 })
  const apps = w.appsWith({ keepRevisions: 3 })
  for (const replicas of [2, 3, 4, 5]) await apps.updateDeployment(w.ann, { id }, { userValues: { replicas } })
  expect((await historyOf(w, id)).map(({ generation }) => generation)).toEqual([5, 4, 3])
  const first = await w.apps.listRevisions(w.ann, { id }, { limit: 2 })
  expect(first.items.map(({ generation }) => generation)).toEqual([5, 4])
  const rest = await w.apps.listRevisions(w.ann, { id }, { limit: 2, after: first.next ?? undefined })
  expect([rest.items.map(({ generation }) => generation), rest.next]).toEqual([[3], null])
  expect(await codeOf(w.apps.listRevisions(w.ann, { id }, { limit: 2, after: ['x'] }))).toBe('InvalidRequest')

  expect(await codeOf(w.apps.listRevisions(w.bob, { id }, { limit: 2 }))).toBe('NotFound')
  expect(await codeOf(w.apps.rollbackDeployment(w.bob, { id }, { generation: 4 }))).toBe('NotFound')
  const seen = await asUser(w.database.pool, w.bob, (tx) => tx.query('select from caelus.deployment_revision'))
  expect(seen).toEqual([])
  const forge = `insert into caelus.deployment_revision select * from caelus.deployment_revision`
  await expect(asUser(w.database.pool, w.ann, (tx) => tx.query(forge))).rejects.toThrow('permission denied')
})

test('going back asks for the settings of an earlier generation as a new one, with its write-only values', async () => {
  await using w = await appsWorld()
  const { id } = await ordered(w, { message: 'one', password: `first ${SENTINEL}` })
  await w.apps.updateDeployment(
    w.ann,
    { id },
    { userValues: { message: 'two', password: `second ${SENTINEL}` }, domainname: 'new.example.org' },
  )
  await w.queue.finish((await w.queue.claim('w', 1))[0]!, { then: 'forget' })
  const preview = await w.apps.previewRollback(w.ann, { id }, { generation: 1 })
  expect(preview.after.values).toMatchObject({ user: { message: 'one', password: `first ${SENTINEL}` } })
  expect((await w.apps.getDeployment(w.ann, { id })).generation).toBe(2)

  expect(await codeOf(w.apps.rollbackDeployment(w.ann, { id }, { generation: 1 }, { ifGeneration: 1 }))).toBe(
    'ChangedMeanwhile',
  )
  const back = await w.apps.rollbackDeployment(w.ann, { id }, { generation: 1 }, { ifGeneration: 2 })
  expect(back).toMatchObject({ generation: 3, userValues: { message: 'one' }, domainname: 'new.example.org' })
  const { before } = await w.apps.previewUpdate(w.ann, { id }, {})
  expect(before?.values).toMatchObject({ user: { message: 'one', password: `first ${SENTINEL}` } })
  expect(await w.queue.claim('w', 5)).toMatchObject([{ key: deploymentKey(id), reason: 'changed' }])
  expect((await historyOf(w, id))[0]).toMatchObject({
    generation: 3,
    rolledBackTo: 1,
    changed: ['user_values.message', 'user_values.password'],
  })
  const [entry] = await auditOf(w.database.pool, deploymentKey(id))
  expect(entry).toMatchObject({ action: 'changed', detail: { rolledBackTo: 1, generation: 3 } })
  const messages = (await w.apps.timeline(w.ann, { id })).map(({ message }) => message)
  expect(messages).toContain('it went back to generation 1: the settings were changed')

  // What it asks for already is not asked for again.
  expect((await w.apps.rollbackDeployment(w.ann, { id }, { generation: 1 })).generation).toBe(3)
  const withDomain = await w.apps.rollbackDeployment(w.ann, { id }, { generation: 1, withDomain: true })
  expect(withDomain).toMatchObject({ generation: 4, domainname: 'ann.example.org' })
})

test('what cannot be gone back to is refused with the reason', async () => {
  await using w = await appsWorld()
  const { id, product, template } = await ordered(w, { message: 'one' })
  const publish = (chartVersion: string) =>
    w.apps.publishTemplate(w.admin, { productId: product.id, ...CHART, chartVersion })
  const newer = await publish('1.1.0')
  await statusOf(w, id, `applied_template_id = desired_template_id`)
  await w.apps.updateDeployment(w.admin, { id }, { templateId: newer.id })
  const back = (actor: AppsWorld['ann'], generation: number, more = {}) =>
    w.apps.rollbackDeployment(actor, { id }, { generation, ...more })

  expect(await codeOf(back(w.ann, 9))).toBe('RevisionMissing')
  expect(await fieldsOf(back(w.ann, 9))).toEqual({ generation: 'is not in the history' })
  expect(await codeOf(back(w.ann, 1))).toBe('UpgradeNotAllowed')
  expect(await fieldsOf(back(w.ann, 1))).toEqual({
    generation: 'generation 1 has another template (chart 1.0.0), which may be changed by an admin alone',
  })
  // It was never applied: an admin may leave it again.
  expect(await back(w.admin, 1)).toMatchObject({ generation: 3, desiredTemplateId: template.id })

  await back(w.admin, 2)
  await statusOf(w, id, `applied_template_id = desired_template_id`)
  expect(await codeOf(back(w.admin, 1))).toBe('DowngradeRefused')
  const same = await publish('1.1.0+b')
  await w.apps.updateDeployment(w.admin, { id }, { templateId: same.id })
  await w.apps.setCanonicalTemplate(w.admin, product.id, same.id)
  await w.apps.deleteTemplate(w.admin, newer.id)
  expect(await codeOf(back(w.admin, 4))).toBe('TemplateDeleted')
  expect((await historyOf(w, id, w.admin)).find(({ generation }) => generation === 4)?.template.isDeleted).toBe(true)

  const input = { userId: w.bob.userId, templateId: same.id, domainname: 'free.example.org' }
  await w.apps.updateDeployment(w.ann, { id }, { domainname: 'moved.example.org' })
  await w.apps.createDeployment(w.bob, { ...input, domainname: 'ann.example.org' })
  expect(await codeOf(back(w.ann, 5, { withDomain: true }))).toBe('DomainTaken')
  await w.apps.deleteDeployment(w.ann, { id })
  expect(await codeOf(back(w.ann, 5))).toBe('BeingDeleted')
})

test('a key is rotated in the history too, and the history still tells what changed', async () => {
  await using w = await appsWorld()
  const { id } = await ordered(w, { message: 'one', password: `first ${SENTINEL}` })
  await w.apps.updateDeployment(w.ann, { id }, { userValues: { message: 'two' } })
  await w.apps.updateDeployment(w.ann, { id }, { userValues: { message: 'two', password: `second ${SENTINEL}` } })
  const before = await historyOf(w, id)
  expect(await w.appsWith({ ring: ringOf('k2', 'k1') }).rotateValuesKey(w.admin)).toEqual({
    resealed: 1,
    unreadable: [],
  })
  expect(await historyOf(w, id)).toEqual(before)
  const onlyNew = w.appsWith({ ring: ringOf('k2') })
  const { after } = await onlyNew.previewRollback(w.ann, { id }, { generation: 1 })
  expect(after.values).toMatchObject({ user: { password: `first ${SENTINEL}` } })
})

test('deployments of the version before have their present generation in the history', async () => {
  await using database = await emptyDatabase()
  const earlier = (await readMigrations()).filter(({ name }) => name < '0041')
  await migrate(database.url, earlier)
  const { rows } = await onServer(database.url, async (client) => {
    await client.query(`
      with u as (insert into caelus.user (email) values ('ann@example.org') returning id),
        p as (insert into caelus.product (name) values ('Hello') returning id),
        t as (insert into caelus.product_template_version (product_id, chart_ref, chart_version, default_values_json)
          select id, 'oci://r/c', '1.0.0', '{}' from p returning id)
      insert into caelus.deployment (deployment_uid, namespace_name, release_name, user_id, domainname, user_values_json,
        desired_template_id, generation, created_at)
      select 'a', 'a', 'a', u.id, 'a.example.org', '{"message": "hi"}', t.id, 7, '2026-01-02T03:04:05Z' from u, t`)
    await migrate(database.url)
    return client.query(
      `select generation::int, user_values_json, changed_by, created_at, outcome from caelus.deployment_revision`,
    )
  })
  expect(rows).toEqual([
    {
      generation: 7,
      user_values_json: { message: 'hi' },
      changed_by: 'platform',
      created_at: new Date('2026-01-02T03:04:05Z'),
      outcome: null,
    },
  ])
})
