import { expect, test } from 'vitest'
import type {
  DeploymentView,
  Problem,
  ReconcileJobView,
  TemplateView,
  UserView,
} from '../../../src/api/contract/index.ts'
import { signingKey } from '../../support/open-pgp.ts'
import { appsWorld } from './world.ts'

test('a chart is inspected, published, made canonical, and ordered with what it allows', async () => {
  await using w = await appsWorld()
  const chart = await w.as(w.admin.secret, {
    method: 'POST',
    url: '/api/v1/charts:inspect',
    payload: { chart_ref: 'oci://registry/hello', chart_version: '1.0.0' },
  })
  expect(chart.json()).toMatchObject({ name: 'hello', problems: [], form: { enabled: true } })

  const product = await w.product()
  const ada = await w.person('member')
  const listed = await w.as(ada.secret, { url: '/api/v1/products' })
  expect(listed.json().items).toEqual([{ ...product, template_id: product.template_id, generation: 2 }])
  const form = (await w.as(ada.secret, { url: `/api/v1/templates/${product.template_id}/form` })).json()
  expect(form.ui_hints).toContainEqual({
    pointer: '/password',
    widget: 'password',
    title: 'Password',
    write_only: true,
  })

  const created = await w.as(ada.secret, {
    method: 'POST',
    url: `/api/v1/users/${ada.userId}/deployments`,
    payload: {
      template_id: product.template_id,
      domainname: 'Ada.Example.TEST',
      user_values: { message: 'hi', password: 'correct horse' },
    },
  })
  expect(created.statusCode).toBe(201)
  expect(created.headers['etag']).toBe('"1"')
  expect(created.json<DeploymentView>()).toMatchObject({
    domainname: 'ada.example.test',
    status: 'pending',
    generation: 1,
    observed_generation: 0,
    user_values: { message: 'hi' },
    secrets_set: ['/password'],
    product: { id: product.id, name: 'Hello' },
  })
  const jobs = await w.as(w.admin.secret, { url: '/api/v1/reconcile-jobs?status=queued' })
  expect(jobs.json<{ items: ReconcileJobView[] }>().items).toMatchObject([
    { deployment_id: created.json().id, reason: 'create', user_id: ada.userId, frozen: false },
  ])
})

test('every field that is wrong is named, in the request and in the values', async () => {
  await using w = await appsWorld()
  const { template_id } = await w.product()
  const ada = await w.person('member')
  const url = `/api/v1/users/${ada.userId}/deployments`
  const unknown = await w.as(ada.secret, { method: 'POST', url, payload: { template_id, domain: 'x' } })
  expect(unknown.statusCode).toBe(400)
  expect(
    unknown
      .json<Problem>()
      .errors?.map(({ field }) => field)
      .toSorted(),
  ).toEqual(['domain', 'domainname'])
  const wrong = await w.as(ada.secret, {
    method: 'POST',
    url,
    payload: { template_id, domainname: 'no spaces', user_values: { replicas: 9, message: 'x'.repeat(21), colour: 1 } },
  })
  expect(wrong.headers['content-type']).toBe('application/problem+json')
  const { errors = [], code } = wrong.json<Problem>()
  expect(code).toBe('InvalidRequest')
  expect(errors.map(({ field }) => field).toSorted()).toEqual([
    '/user/colour',
    '/user/message',
    '/user/replicas',
    'domainname',
  ])
})

test('another tenant’s deployment does not exist', async () => {
  await using w = await appsWorld()
  const { template_id } = await w.product()
  const [ada, eve] = [await w.person('member'), await w.person('member')]
  const { id } = await w.order(ada, template_id)
  const places = [
    `/users/${ada.userId}/deployments/${id}`,
    `/users/${eve.userId}/deployments/${id}`,
    `/deployments/${id}`,
  ]
  for (const place of places) {
    const answer = await w.as(eve.secret, { url: `/api/v1${place}` })
    expect([place, answer.statusCode, answer.json().code]).toEqual([place, 404, 'NotFound'])
  }
  for (const more of ['/explain', '/timeline', '/resources']) {
    const answer = await w.as(eve.secret, { url: `/api/v1/users/${ada.userId}/deployments/${id}${more}` })
    expect([more, answer.statusCode]).toEqual([more, 404])
  }
  for (const [method, suffix] of [
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', ':preview'],
  ] as const) {
    const request = { method, url: `/api/v1/users/${ada.userId}/deployments/${id}${suffix}` }
    const body = method === 'DELETE' ? {} : { payload: { domainname: 'eve.example.test' } }
    expect((await w.as(eve.secret, { ...request, ...body })).statusCode).toBe(404)
  }
  expect((await w.as(eve.secret, { url: `/api/v1/users/${ada.userId}` })).statusCode).toBe(404)
  expect((await w.as(eve.secret, { url: '/api/v1/deployments' })).statusCode).toBe(403)
  expect((await w.as(eve.secret, { url: '/api/v1/reconcile-jobs' })).statusCode).toBe(403)
  const all = await w.as(w.admin.secret, { url: '/api/v1/deployments' })
  expect(all.json().items.map((one: DeploymentView) => one.id)).toEqual([id])
})

test('a change on an older version is refused, and the same request twice has one effect', async () => {
  await using w = await appsWorld()
  const { template_id } = await w.product()
  const ada = await w.person('member')
  const { id } = await w.order(ada, template_id)
  const url = `/api/v1/users/${ada.userId}/deployments/${id}`
  const patch = (message: string, headers: Record<string, string>) =>
    w.as(ada.secret, { method: 'PATCH', url, payload: { user_values: { message } }, headers })
  const first = await patch('one', { 'if-match': '"1"', 'idempotency-key': 'k1' })
  expect([first.statusCode, first.headers['etag']]).toEqual([200, '"2"'])
  const again = await patch('one', { 'if-match': '"1"', 'idempotency-key': 'k1' })
  expect([again.statusCode, again.headers['idempotency-replayed']]).toEqual([200, 'true'])
  const stale = await patch('two', { 'if-match': '"1"' })
  expect([stale.statusCode, stale.json().code]).toEqual([412, 'ChangedMeanwhile'])
  const now = await w.as(ada.secret, { url })
  expect(now.json<DeploymentView>()).toMatchObject({ generation: 2, user_values: { message: 'one' } })
})

test('only an admin moves a deployment to another template, and only of its product and upwards', async () => {
  await using w = await appsWorld()
  const product = await w.product()
  const other = await w.product('Other')
  const newer = await w.publish(product.id, '2.0.0')
  const ada = await w.person('member')
  const { id } = await w.order(ada, product.template_id)
  const move = async (by: { secret: string }, template_id: string) => {
    const url = `/api/v1/users/${ada.userId}/deployments/${id}`
    const answer = await w.as(by.secret, { method: 'PATCH', url, payload: { template_id } })
    return [answer.statusCode, answer.json().code ?? answer.json().desired_template_id]
  }
  expect(await move(ada, newer.id)).toEqual([403, 'UpgradeNotAllowed'])
  expect(await move(w.admin, other.template_id)).toEqual([422, 'ForeignProduct'])
  expect(await move(w.admin, newer.id)).toEqual([200, newer.id])
  expect(await move(w.admin, product.template_id)).toEqual([422, 'DowngradeRefused'])
})

test('a preview saves nothing, and explain, resources and timeline answer', async () => {
  await using w = await appsWorld()
  const { template_id } = await w.product()
  const ada = await w.person('member')
  const { id, domainname } = await w.order(ada, template_id)
  const url = `/api/v1/users/${ada.userId}/deployments`
  const order = { template_id, domainname: 'new.example.test' }
  const create = await w.as(ada.secret, { method: 'POST', url: `${url}:preview`, payload: order })
  expect(create.json()).toMatchObject({ objects: [{ object: 'Ingress/new.example.test', change: 'created' }] })
  const update = await w.as(ada.secret, {
    method: 'POST',
    url: `${url}/${id}:preview`,
    payload: { domainname: 'moved.example.test' },
  })
  expect(update.json()).toMatchObject({ objects: [{ object: 'Ingress/moved.example.test', change: 'changed' }] })
  const items = (await w.as(ada.secret, { url })).json().items
  expect(items).toMatchObject([{ id, domainname, generation: 1 }])
  expect((await w.as(ada.secret, { url: `${url}/${id}/explain` })).json()).toMatchObject({ why: [`because ${id}`] })
  expect((await w.as(ada.secret, { url: `${url}/${id}/resources` })).json()).toEqual({ items: [] })
  const timeline = (await w.as(ada.secret, { url: `${url}/${id}/timeline` })).json()
  expect(timeline.items).toContainEqual(expect.objectContaining({ source: 'audit', what: 'created' }))
})

test('lists go on where they stopped, also while rows are added', async () => {
  await using w = await appsWorld()
  const { template_id } = await w.product()
  const ada = await w.person('member')
  const made: string[] = []
  for (let i = 0; i < 5; i++) made.unshift((await w.order(ada, template_id)).id)
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const more: string = cursor === '' ? '' : `&cursor=${cursor}`
    const page = (await w.as(ada.secret, { url: `/api/v1/users/${ada.userId}/deployments?limit=2${more}` })).json()
    seen.push(...page.items.map(({ id }: DeploymentView) => id))
    cursor = page.next_cursor
    await w.order(ada, template_id)
  }
  expect(seen).toEqual(made)
  const forged = Buffer.from('["yesterday","x"]').toString('base64url')
  const refused = await w.as(ada.secret, { url: `/api/v1/users/${ada.userId}/deployments?cursor=${forged}` })
  expect(refused.json<Problem>().errors).toEqual([{ field: 'cursor', message: 'is not a next_cursor of this list' }])
})

test('a deployment is found by its name or domain, and only by those who may see it', async () => {
  await using w = await appsWorld()
  const { template_id } = await w.product()
  const [ada, eve] = [await w.person('member'), await w.person('member')]
  const mine = await w.order(ada, template_id, { domainname: 'ada.example.test' })
  await w.order(ada, template_id, { domainname: 'not.ada.example.test' })
  const found = async (by: { secret: string }, path: string, name: string) => {
    const answer = await w.as(by.secret, { url: `/api/v1${path}?name=${encodeURIComponent(name)}` })
    expect(answer.statusCode).toBe(200)
    return answer.json<{ items: DeploymentView[] }>().items.map(({ id }) => id)
  }
  for (const name of [mine.deployment_uid, 'ada.example.test', 'Ada.Example.TEST']) {
    expect([name, await found(ada, `/users/${ada.userId}/deployments`, name)]).toEqual([name, [mine.id]])
    expect([name, await found(w.admin, '/deployments', name)]).toEqual([name, [mine.id]])
    expect([name, await found(eve, `/users/${ada.userId}/deployments`, name)]).toEqual([name, []])
    expect([name, await found(eve, `/users/${eve.userId}/deployments`, name)]).toEqual([name, []])
  }
  expect(await found(w.admin, '/deployments', 'example.test')).toEqual([])
  const refused = await w.as(w.admin.secret, { url: '/api/v1/deployments?name=%00' })
  expect([refused.statusCode, refused.json<Problem>().errors?.[0]?.field]).toEqual([400, 'name'])
})

test('an admin finds a user by email, and a wrong id is told in words', async () => {
  await using w = await appsWorld()
  const ada = await w.person('member', 'ada@example.test')
  await w.person('member', 'not-ada@example.test')
  const byEmail = (by: { secret: string }, email: string) =>
    w.as(by.secret, { url: `/api/v1/users?email=${encodeURIComponent(email)}` })
  const emails = async (email: string) => (await byEmail(w.admin, email)).json().items.map((one: UserView) => one.email)
  expect(await emails('ADA@example.test')).toEqual(['ada@example.test'])
  expect(await emails('example.test')).toEqual([])
  expect((await byEmail(ada, 'ada@example.test')).statusCode).toBe(403)
  const wrong = await w.as(ada.secret, { url: '/api/v1/deployments/nope' })
  expect(wrong.json<Problem>().errors).toEqual([
    { field: 'deployment_id', message: 'must be an id such as 123e4567-e89b-42d3-a456-426614174000' },
  ])
})

test('an operator requeues, gives up and freezes', async () => {
  await using w = await appsWorld()
  const { template_id } = await w.product()
  const ada = await w.person('member')
  const { id } = await w.order(ada, template_id)
  const act = (url: string, payload: object = {}) =>
    w.as(w.admin.secret, { method: 'POST', url: `/api/v1${url}`, payload })
  const [job] = (await w.as(w.admin.secret, { url: '/api/v1/reconcile-jobs' })).json().items
  expect((await act(`/reconcile-jobs/${job.id}:fail`, { error: 'not today' })).json()).toMatchObject({
    status: 'failed',
    last_error: { message: expect.stringContaining('not today') },
  })
  expect((await act(`/reconcile-jobs/${job.id}:requeue`)).json()).toMatchObject({ status: 'queued' })
  expect((await act(`/users/${ada.userId}:freeze`, { why: 'it loops' })).statusCode).toBe(204)
  expect((await act(`/deployments/${id}:reconcile`, { reason: 'drift' })).json()).toMatchObject({ frozen: true })
  expect((await act(`/users/${ada.userId}:unfreeze`)).statusCode).toBe(204)
  expect((await w.as(w.admin.secret, { url: `/api/v1/users/${ada.userId}` })).json()).toMatchObject({ frozen: false })
})

test('a deletion is accepted once and for all', async () => {
  await using w = await appsWorld()
  const { template_id } = await w.product()
  const ada = await w.person('member')
  const { id } = await w.order(ada, template_id)
  const url = `/api/v1/users/${ada.userId}/deployments/${id}`
  const gone = await w.as(ada.secret, { method: 'DELETE', url })
  expect([gone.statusCode, gone.json().deleted_at]).toEqual([202, expect.any(String)])
  expect((await w.as(ada.secret, { method: 'DELETE', url })).statusCode).toBe(202)
  const late = await w.as(ada.secret, { method: 'PATCH', url, payload: { domainname: 'late.example.test' } })
  expect([late.statusCode, late.json().code]).toEqual([409, 'BeingDeleted'])
})

test('users and products are made, changed and removed by admins', async () => {
  await using w = await appsWorld()
  const act = (method: 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
    w.as(w.admin.secret, { method, url: `/api/v1${url}`, ...(payload && { payload }) })
  const user = (await act('POST', '/users', { email: 'Bob@Example.test' })).json()
  expect((await act('POST', '/users', { email: 'bob@example.TEST' })).statusCode).toBe(409)
  expect((await act('PATCH', `/users/${user.id}`, { is_admin: true })).json()).toMatchObject({ is_admin: true })
  expect((await act('DELETE', `/users/${user.id}`)).statusCode).toBe(204)
  expect((await w.as(w.admin.secret, { url: `/api/v1/users/${user.id}` })).statusCode).toBe(404)
  const product = (await act('POST', '/products', { name: 'Shop' })).json()
  expect((await act('PATCH', `/products/${product.id}`, { description: 'sells' })).json()).toMatchObject({
    name: 'Shop',
    description: 'sells',
  })
  expect((await act('DELETE', `/products/${product.id}`)).statusCode).toBe(204)
  const ada = await w.person('member')
  const refused = await w.as(ada.secret, { method: 'POST', url: '/api/v1/products', payload: { name: 'Mine' } })
  expect([refused.statusCode, refused.json().code]).toEqual([403, 'NotAllowed'])
})

test('what is refused because of one field names it', async () => {
  await using w = await appsWorld()
  const product = await w.product('Shop')
  const other = await w.product('Other')
  const chart = { chart_ref: 'oci://registry/hello', chart_version: '2.0.0', version_label: 'spring' }
  const templates = `/api/v1/products/${product.id}/templates`
  const newer = (await w.as(w.admin.secret, { method: 'POST', url: templates, payload: chart })).json<TemplateView>()
  const ada = await w.person('member', 'ada@example.test')
  const taken = await w.order(ada, product.template_id, { domainname: 'taken.example.test' })
  const mine = await w.order(ada, newer.id, { domainname: 'mine.example.test' })
  const url = `/api/v1/users/${ada.userId}/deployments`
  const order = { template_id: newer.id, domainname: taken.domainname }
  for (const [by, method, path, payload, code, field] of [
    [ada, 'POST', url, order, 'DomainTaken', 'domainname'],
    [ada, 'POST', `${url}:preview`, order, 'DomainTaken', 'domainname'],
    [ada, 'PATCH', `${url}/${mine.id}`, { domainname: taken.domainname }, 'DomainTaken', 'domainname'],
    [ada, 'PATCH', `${url}/${taken.id}`, { template_id: newer.id }, 'UpgradeNotAllowed', 'template_id'],
    [w.admin, 'PATCH', `${url}/${mine.id}`, { template_id: other.template_id }, 'ForeignProduct', 'template_id'],
    [w.admin, 'PATCH', `${url}/${mine.id}`, { template_id: product.template_id }, 'DowngradeRefused', 'template_id'],
    [w.admin, 'POST', '/api/v1/products', { name: 'SHOP' }, 'NameTaken', 'name'],
    [w.admin, 'POST', templates, { ...chart, chart_version: '3.0.0' }, 'TemplateExists', 'version_label'],
    [w.admin, 'POST', '/api/v1/users', { email: 'ADA@example.test' }, 'EmailTaken', 'email'],
  ] as const) {
    const answer = await w.as(by.secret, { method, url: path, payload })
    expect(answer.json()).toMatchObject({ code, errors: [{ field, message: expect.any(String) }] })
  }
})

test('logs and metrics name routes as the documentation does', async () => {
  await using w = await appsWorld()
  const url = '/api/v1/reconcile-jobs/7:requeue'
  expect((await w.as(w.admin.secret, { method: 'POST', url })).statusCode).toBe(404)
  const route = '/api/v1/reconcile-jobs/{id}:requeue'
  const { paths } = (await w.app.inject({ url: '/api/v1/openapi.json' })).json<{ paths: object }>()
  expect(Object.keys(paths)).toContain(route)
  expect((await w.app.inject({ url: '/metrics' })).body).toContain(
    `caelus_http_request_duration_seconds_count{method="POST",route="${route}",status="404"} 1`,
  )
  expect(w.log.join('')).toContain(`"route":"${route}"`)
})

test('a write of a product or a user is refused when it was made on an older version', async () => {
  await using w = await appsWorld()
  const product = await w.product()
  const bob = await w.person('member')
  const write = async (method: 'PATCH' | 'PUT' | 'DELETE', url: string, version: string, payload?: object) => {
    const headers = { 'if-match': version }
    const answer = await w.as(w.admin.secret, { method, url: `/api/v1${url}`, headers, ...(payload && { payload }) })
    return [answer.statusCode, answer.headers['etag']]
  }
  const { id, template_id } = product
  expect(await write('PATCH', `/products/${id}`, '"1"', { description: 'x' })).toEqual([412, undefined])
  expect(await write('PATCH', `/products/${id}`, '"2"', { description: 'x' })).toEqual([200, '"3"'])
  expect(await write('PUT', `/products/${id}/template`, '"2"', { template_id })).toEqual([412, undefined])
  expect(await write('PUT', `/products/${id}/template`, '"3"', { template_id })).toEqual([200, '"3"'])
  expect(await write('DELETE', `/products/${id}`, '"2"')).toEqual([412, undefined])
  expect(await write('DELETE', `/products/${id}`, '"3"')).toEqual([204, undefined])

  const user = `/users/${bob.userId}`
  expect((await w.as(bob.secret, { url: `/api/v1${user}` })).headers['etag']).toBe('"1"')
  expect(await write('PATCH', user, '"1"', { is_admin: true })).toEqual([200, '"2"'])
  expect(await write('PATCH', user, '"1"', { is_admin: false })).toEqual([412, undefined])
  expect(await write('DELETE', user, '"1"')).toEqual([412, undefined])
  expect(await write('DELETE', user, '"2"')).toEqual([204, undefined])
})

test('a repeated write with the same Idempotency-Key is answered again, with its version, and done once', async () => {
  await using w = await appsWorld()
  const product = await w.product()
  const bob = await w.person('member')
  const { id } = await w.order(bob, product.template_id)
  const key = { 'idempotency-key': 'k' }
  const twice = async (method: 'PATCH' | 'POST' | 'DELETE', url: string, payload?: object) => {
    const send = (): ReturnType<typeof w.as> =>
      w.as(w.admin.secret, {
        method,
        url: `/api/v1${url}`,
        headers: { 'idempotency-key': `${method}${url.replaceAll(/[^a-z0-9]/g, '')}` },
        ...(payload && { payload }),
      })
    const [first, again] = [await send(), await send()]
    expect([again.statusCode, again.body]).toEqual([first.statusCode, first.body])
    expect(again.headers['etag']).toBe(first.headers['etag'])
    return [first.statusCode, again.headers['idempotency-replayed']]
  }
  expect(await twice('PATCH', `/products/${product.id}`, { description: 'x' })).toEqual([200, 'true'])
  expect(await twice('POST', `/users/${bob.userId}:freeze`, { why: 'x' })).toEqual([204, 'true'])
  expect(await twice('POST', `/users/${bob.userId}:unfreeze`)).toEqual([204, 'true'])
  expect(await twice('POST', `/deployments/${id}:reconcile`, { reason: 'drift' })).toEqual([202, 'true'])
  expect(await twice('DELETE', `/products/${product.id}`)).toEqual([204, 'true'])

  const change = (version: string) =>
    w.as(bob.secret, {
      method: 'PATCH',
      url: `/api/v1/users/${bob.userId}/deployments/${id}`,
      headers: { ...key, 'if-match': version },
      payload: { domainname: 'other.example.test' },
    })
  expect((await change('"1"')).headers['etag']).toBe('"2"')
  expect((await change('"1"')).headers['etag']).toBe('"2"')
  expect((await change('"2"')).json()).toMatchObject({ code: 'IdempotencyKeyReused' })
})

test('a template says where in the values of its chart things go, and its form follows', async () => {
  await using w = await appsWorld()
  const { id } = await w.product()
  const publish = (layout: object) =>
    w.as(w.admin.secret, {
      method: 'POST',
      url: `/api/v1/products/${id}/templates`,
      payload: {
        chart_ref: 'oci://registry/hello',
        chart_version: '1.1.0',
        values_schema: { properties: { host: { type: 'string', title: 'Hostname' }, title: { type: 'string' } } },
        layout,
        drift_ignore: [{ kind: 'Deployment', paths: ['/spec/replicas'] }],
      },
    })
  const published = await publish({ user_values: 'root', ingress_class_paths: [], plan: { size: 1 } })
  const template = published.json<TemplateView>()
  expect(template.layout).toEqual({
    domain_paths: ['/host'],
    ingress_class_paths: [],
    caelus_values: true,
    plan: { size: 1 },
    user_values: 'root',
  })
  expect(template.drift_ignore).toEqual([{ kind: 'Deployment', paths: ['/spec/replicas'] }])
  const form = await w.as(w.admin.secret, { url: `/api/v1/templates/${template.id}/form` })
  expect(Object.keys(form.json().schema.properties)).toEqual(['title'])

  const refused = await publish({ domain_paths: ['a..b'] })
  expect(refused.statusCode).toBe(400)
  expect(refused.json<Problem>().errors).toMatchObject([{ field: 'layout/domain_paths/0' }])
})

test('an admin stores access to a host of charts, and its password is never shown', async () => {
  await using w = await appsWorld()
  const url = `/api/v1/chart-sources/${encodeURIComponent('registry.example.com:5000')}`
  const payload = { username: 'puller', password: 'correct horse' }
  const written = await w.as(w.admin.secret, { method: 'PUT', url, payload })
  expect([written.statusCode, written.json()]).toMatchObject([200, { host: 'registry.example.com:5000', ca: null }])
  const listed = await w.as(w.admin.secret, { url: '/api/v1/chart-sources' })
  expect(listed.json().items).toMatchObject([{ username: 'puller' }])
  expect(written.body + listed.body).not.toContain('horse')
  const { fingerprint, identity, publicKey } = signingKey('Ada <ada@example.com>')
  const signed = { verification: 'required', keyring: publicKey }
  const verified = await w.as(w.admin.secret, { method: 'PUT', url, payload: signed })
  expect(verified.json()).toMatchObject({ ...signed, username: null, keys: [{ fingerprint, identity }] })
  const refused = await w.as(w.admin.secret, { method: 'PUT', url, payload: { keyring: 'x' } })
  expect(refused.json<Problem>().errors).toMatchObject([{ field: 'keyring' }])
  const ada = await w.person('member')
  expect((await w.as(ada.secret, { url: '/api/v1/chart-sources' })).statusCode).toBe(403)
  expect((await w.as(w.admin.secret, { method: 'PUT', url, payload: { ca: 'x' } })).statusCode).toBe(400)
  expect((await w.as(w.admin.secret, { method: 'DELETE', url })).statusCode).toBe(204)
})
