import { expect, test } from 'vitest'
import { onServer } from '../../support/postgres.ts'
import { appsWorld } from './world.ts'

test('an owner retries, suspends and resumes; others find nothing', async () => {
  await using w = await appsWorld()
  const [ann, bob] = [await w.person('member'), await w.person('member')]
  const { template_id } = await w.product()
  const { id } = await w.order(ann, template_id)
  const url = `/api/v1/users/${ann.userId}/deployments/${id}`
  const post = (verb: string, secret = ann.secret) =>
    w.as(secret, { method: 'POST', url: `${url}:${verb}`, payload: {} })
  const read = async () => (await w.as(ann.secret, { url })).json()

  for (const verb of ['retry', 'suspend', 'resume']) expect((await post(verb, bob.secret)).statusCode).toBe(404)

  const suspended = (await post('suspend')).json()
  expect(suspended.suspended_at).not.toBeNull()
  expect((await post('suspend')).json()).toEqual(suspended)
  expect((await post('resume')).json()).toMatchObject({ suspended_at: null, generation: 1 })

  expect((await post('retry')).json()).toMatchObject({ id, generation: 1, status_generation: 0, failed_tries: 0 })
  const jobs = (await w.as(w.admin.secret, { url: `/api/v1/reconcile-jobs?deployment_id=${id}` })).json().items
  expect(jobs).toMatchObject([{ status: 'queued', attempt: 0 }])
  const timeline = (await w.as(ann.secret, { url: `${url}/timeline` })).json().items as { message: string }[]
  expect(timeline.map(({ message }) => message)).toEqual(
    expect.arrayContaining(['it was suspended', 'it was resumed', 'another try was asked for']),
  )

  await w.as(ann.secret, { method: 'DELETE', url })
  expect((await post('suspend')).json()).toMatchObject({ code: 'BeingDeleted' })
  expect(await read()).toMatchObject({ suspended_at: null, status: 'deleting' })
})

test('failed tries and the deadline are those of the latest change', async () => {
  await using w = await appsWorld()
  const ann = await w.person('member')
  const { template_id } = await w.product()
  const { id } = await w.order(ann, template_id)
  const url = `/api/v1/users/${ann.userId}/deployments/${id}`
  const rollout = { digest: 'd', retries: 0, failures: 3, deadlineAt: Date.now() }
  const record = 'update caelus.deployment set rollout_json = $2, status_generation = generation where id = $1'
  await onServer(w.url, (client) => client.query(record, [id, rollout]))
  expect((await w.as(ann.secret, { url })).json()).toMatchObject({
    failed_tries: 3,
    healthy_by: new Date(rollout.deadlineAt).toISOString(),
  })
  const changed = await w.as(ann.secret, { method: 'PATCH', url, payload: { domainname: 'new.example.com' } })
  expect(changed.json()).toMatchObject({ generation: 2, failed_tries: 0, healthy_by: null })
})

test('a newer template is offered in every answer, and those that are behind can be listed', async () => {
  await using w = await appsWorld()
  const ann = await w.person('member')
  const { id: productId, template_id } = await w.product()
  const { id } = await w.order(ann, template_id)
  const newer = await w.publish(productId, '1.1.0')
  const read = async (url: string, secret = ann.secret) => (await w.as(secret, { url: `/api/v1${url}` })).json()
  const own = `/users/${ann.userId}/deployments`
  expect(await read(`${own}/${id}`)).toMatchObject({ chart_version: '1.0.0', upgrade_available: null })
  const canonical = { method: 'PUT', url: `/api/v1/products/${productId}/template`, payload: { template_id: newer.id } }
  expect((await w.as(w.admin.secret, canonical as never)).statusCode).toBe(200)
  expect((await read(`${own}/${id}`)).upgrade_available).toEqual({
    template_id: newer.id,
    chart_version: '1.1.0',
    version_label: null,
    published_at: newer.created_at,
  })
  await w.order(ann, newer.id)
  for (const [url, secret] of [
    [own, ann.secret],
    ['/deployments', w.admin.secret],
  ] as const) {
    expect((await read(`${url}?behind=true`, secret)).items).toMatchObject([{ id }])
    expect((await read(url, secret)).items).toHaveLength(2)
  }
})
