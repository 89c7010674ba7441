import { expect, test } from 'vitest'
import { expectNoSentinel, SENTINEL } from '../../support/sentinel.ts'
import { appsWorld } from './world.ts'

test('an owner reads the history and goes back in it; others find nothing', async () => {
  await using w = await appsWorld()
  const [ann, bob] = [await w.person('member'), await w.person('member')]
  const { template_id } = await w.product()
  const first = { message: 'one', password: `first ${SENTINEL}` }
  const { id } = await w.order(ann, template_id, { user_values: first })
  const url = `/api/v1/users/${ann.userId}/deployments/${id}`
  const change = { user_values: { message: 'two', password: `second ${SENTINEL}` } }
  await w.as(ann.secret, { method: 'PATCH', url, payload: change })
  const post = (verb: string, payload: object, headers = {}, secret = ann.secret) =>
    w.as(secret, { method: 'POST', url: `${url}:${verb}`, payload, headers })

  const page = (await w.as(ann.secret, { url: `${url}/revisions?limit=1` })).json()
  expect(page.items).toEqual([
    {
      generation: 2,
      created_at: expect.any(String),
      changed_by: expect.stringContaining('@'),
      template: { id: template_id, chart_version: '1.0.0', version_label: null, deleted: false },
      domainname: expect.any(String),
      changed: ['user_values.message', 'user_values.password'],
      rolled_back_to: null,
      outcome: 'pending',
      failure_code: null,
      helm_revision: null,
    },
  ])
  const rest = (await w.as(ann.secret, { url: `${url}/revisions?limit=1&cursor=${page.next_cursor}` })).json()
  expect(rest).toMatchObject({ items: [{ generation: 1, changed: null, outcome: 'superseded' }], next_cursor: null })

  expect((await post('preview-rollback', { generation: 1 })).json().objects).toMatchObject([{ change: 'changed' }])
  expect((await w.as(bob.secret, { url: `${url}/revisions` })).statusCode).toBe(404)
  for (const verb of ['rollback', 'preview-rollback'])
    expect((await post(verb, { generation: 1 }, {}, bob.secret)).statusCode).toBe(404)

  expect((await post('rollback', { generation: 1 }, { 'if-match': '"1"' })).json().code).toBe('ChangedMeanwhile')
  const missing = await post('rollback', { generation: 7 })
  expect(missing.json()).toMatchObject({
    code: 'RevisionMissing',
    errors: [{ field: 'generation', message: 'is not in the history' }],
  })
  for (const payload of [{}, { generation: 0 }, { generation: 1e300 }, { generation: 1.5 }])
    expect((await post('rollback', payload)).json().errors).toMatchObject([{ field: 'generation' }])

  const once = { 'if-match': '"2"', 'idempotency-key': 'back-to-one' }
  const back = await post('rollback', { generation: 1 }, once)
  expect(back.headers['etag']).toBe('"3"')
  expect(back.json()).toMatchObject({ generation: 3, user_values: { message: 'one' }, secrets_set: ['/password'] })
  expect((await post('rollback', { generation: 1 }, once)).headers['idempotency-replayed']).toBe('true')
  const after = await w.as(ann.secret, { url: `${url}/revisions` })
  expect(after.json().items[0]).toMatchObject({ generation: 3, rolled_back_to: 1 })
  expectNoSentinel([after.body, back.body, missing.body].join())
})

test('the notes of a chart are told to those who see the deployment', async () => {
  await using w = await appsWorld()
  const [ann, bob] = [await w.person('member'), await w.person('member')]
  const { template_id } = await w.product()
  const { id, domainname } = await w.order(ann, template_id)
  const url = `/api/v1/users/${ann.userId}/deployments/${id}/notes`
  expect((await w.as(ann.secret, { url })).json()).toEqual({ revision: 1, notes: `Open ${domainname}` })
  expect((await w.as(bob.secret, { url })).statusCode).toBe(404)
})

test('manifest and values are files in YAML, for those who see the deployment', async () => {
  await using w = await appsWorld()
  const [ann, bob] = [await w.person('member'), await w.person('member')]
  const { template_id } = await w.product()
  const { id, domainname, release_name: name } = await w.order(ann, template_id)
  const url = `/api/v1/users/${ann.userId}/deployments/${id}`
  const manifest = await w.as(ann.secret, { url: `${url}/manifest` })
  expect(manifest.headers).toMatchObject({
    'content-type': expect.stringMatching(/^application\/yaml\b/),
    'content-disposition': `attachment; filename="${name}-manifest.yaml"`,
    'x-content-type-options': 'nosniff',
  })
  expect(manifest.body).toBe(
    `# The manifest of revision 1 of release ${name}, without secrets.\n---\nkind: Ingress\nhost: ${domainname}\n`,
  )
  expect((await w.as(bob.secret, { url: `${url}/manifest` })).statusCode).toBe(404)
  const nothing = await w.as(ann.secret, { url: `${url}/values` })
  expect([nothing.statusCode, nothing.json()]).toMatchObject([
    404,
    { code: 'NotFound', detail: `there is no release of deployment ${id}` },
  ])
})
