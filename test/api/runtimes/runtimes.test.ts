import { expect, test } from 'vitest'
import type {
  PackageAppliedView,
  ExplanationView,
  RuntimePreviewView,
  RuntimeSummary,
  TimelineView,
  RuntimeView,
} from '../../../src/api/contract/index.ts'
import { ClassRuntime } from '../../../src/domains/runtimes/index.ts'
import { fn } from '../../runtimes/world.ts'
import { expectNoSentinel, SENTINEL, SENTINEL_LINE } from '../../support/sentinel.ts'
import { isUp, runtimesApi } from './world.ts'

test('a runtime is created, seen with everything it is made of, changed and deleted', async () => {
  await using w = await runtimesApi()
  const { api, admin, controlPlane } = w
  await controlPlane.controller()
  const spec = { functions: [fn('add', { min_scale: 2 }), fn('pay')] }
  const made = await api.as(admin.secret, {
    method: 'POST',
    url: '/api/v1/runtimes',
    payload: w.manifest('cart', spec),
  })
  expect(made.statusCode).toBe(201)
  expect(made.headers['etag']).toBe('"1"')
  expect(made.json()).toMatchObject({ id: `${controlPlane.namespace}/cart`, generation: 1, functions_total: 2 })

  const view = await w.shows('cart', isUp)
  expect(view).toMatchObject({
    functions_ready: 2,
    template: 'k8s_deployment',
    observed_generation: 1,
    mode: 'observe',
  })
  const add = view.children.find(({ id }) => id === 'Deployment/cart--add')
  expect(add).toMatchObject({ health: 'ready', function_key: 'add', replicas: { desired: 2, ready: 2 } })
  expect(add?.pods).toHaveLength(2)
  expect(add?.pods[0]).toMatchObject({ ready: true, phase: 'Running', containers: [{ ready: true, restarts: 0 }] })
  expect(view.conditions.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['Progressing', 'Available', 'Degraded']),
  )

  const put = (payload: object, ifMatch?: string) =>
    api.as(admin.secret, {
      method: 'PUT',
      url: w.path('cart'),
      payload,
      headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
    })
  const outdated = await put(w.manifest('cart'), '"7"')
  expect(outdated.statusCode).toBe(412)
  expect(outdated.json()).toMatchObject({ code: 'ChangedMeanwhile', detail: expect.stringContaining('generation 7') })
  const changed = await put(w.manifest('cart', { functions: [fn('add')] }), '"1"')
  expect(changed.statusCode).toBe(200)
  expect(changed.json()).toMatchObject({ generation: 2, functions_total: 1 })
  const again = await put(w.manifest('cart', { functions: [fn('add')] }))
  expect(again.json()).toMatchObject({ generation: 2 })

  const gone = await api.as(admin.secret, { method: 'DELETE', url: w.path('cart') })
  expect(gone.statusCode).toBe(202)
  expect(gone.json()).toMatchObject({ phase: 'deleting' })
  await controlPlane.isGone(ClassRuntime, 'cart')
})

test('what is wrong with a manifest is told field by field', async () => {
  await using w = await runtimesApi()
  const send = async (payload: object) => {
    const answer = await w.api.as(w.admin.secret, { method: 'POST', url: '/api/v1/runtimes', payload })
    return {
      status: answer.statusCode,
      ...answer.json<{ code: string; errors?: { field: string; message: string }[] }>(),
    }
  }
  const functions = [
    { function_key: 'a', provision_config: { container_image: 'x', port: 99_999, prot: 1 } },
    { function_key: '' },
  ]
  const wrong = await send({ metadata: { name: 'Cart' }, spec: { functions, enforcement: { mode: 'loud' } } })
  expect(wrong).toMatchObject({ status: 400, code: 'InvalidRequest' })
  expect(wrong.errors?.map(({ field }) => field).toSorted()).toEqual([
    'metadata.name',
    'spec.enforcement.mode',
    'spec.functions[0].provision_config.port',
    'spec.functions[0].provision_config.prot',
    'spec.functions[1].function_key',
  ])
  const twice = await send(w.manifest('cart', { functions: [fn('a'), fn('a')] }))
  expect(twice.errors).toEqual([
    { field: 'spec.functions[1].function_key', message: 'is the same as spec.functions[0].function_key' },
  ])
  const nowhere = await send({ ...w.manifest('cart'), metadata: { name: 'cart', namespace: 'nowhere-at-all' } })
  expect(nowhere).toMatchObject({
    status: 400,
    errors: [{ field: 'metadata.namespace', message: 'nowhere-at-all does not exist' }],
  })
  await send(w.manifest('cart'))
  expect(await send(w.manifest('cart'))).toMatchObject({ status: 409, code: 'RuntimeExists' })
  const elsewhere = await w.api.as(w.admin.secret, { method: 'PUT', url: w.path('shop'), payload: w.manifest('cart') })
  expect(elsewhere.json()).toMatchObject({
    errors: [{ field: 'metadata.name', message: 'must be shop as in the path' }],
  })
})

test('members may look and not touch, and do not read what functions are configured with', async () => {
  await using w = await runtimesApi()
  const { api, member, controlPlane } = w
  await controlPlane.create('cart', { functions: [fn('add', {}, { PASSWORD: SENTINEL })] })
  const seen = await w.shows('cart', () => true)
  expect(seen.spec.functions?.[0]?.config).toEqual({ PASSWORD: SENTINEL })
  const byMember = await api.as(member.secret, { url: w.path('cart') })
  expect(byMember.statusCode).toBe(200)
  expectNoSentinel(byMember.body)
  expect(byMember.json<RuntimeView>().spec.functions?.[0]?.config).toEqual({ PASSWORD: '[redacted]' })
  for (const request of [
    { method: 'POST', url: '/api/v1/runtimes', payload: w.manifest('other') },
    { method: 'POST', url: '/api/v1/runtimes:preview', payload: w.manifest('other') },
    { method: 'POST', url: '/api/v1/runtimes:apply-package', payload: { package: 'name: x' } },
    { method: 'PUT', url: w.path('cart'), payload: w.manifest('cart') },
    { method: 'DELETE', url: w.path('cart') },
  ] as const) {
    expect((await api.as(member.secret, request)).json()).toMatchObject({ code: 'NotAllowed', status: 403 })
  }
})

test('lists come in pages, by namespace and name', async () => {
  await using w = await runtimesApi()
  for (const name of ['c', 'a', 'b']) await w.controlPlane.create(name)
  await w.shows('b', () => true)
  const page = (more: string) =>
    w.read<{ items: RuntimeSummary[]; next_cursor: string | null }>(
      `/api/v1/runtimes?namespace=${w.controlPlane.namespace}${more}`,
    )
  const first = await page('&limit=2')
  expect(first.items.map(({ name }) => name)).toEqual(['a', 'b'])
  const second = await page(`&limit=2&cursor=${first.next_cursor}`)
  expect(second.items.map(({ name }) => name)).toEqual(['c'])
  expect(second.next_cursor).toBeNull()
  expect((await page('&phase=available')).items).toEqual([])
  expect((await page('&phase=pending')).items).toHaveLength(3)
  const missing = await w.api.as(w.admin.secret, { url: w.path('nothing') })
  expect(missing.json()).toMatchObject({ status: 404, code: 'NotFound' })
})

test('a preview names the children that would come, change and go, and saves nothing', async () => {
  await using w = await runtimesApi()
  await w.controlPlane.controller()
  const preview = async (payload: object): Promise<RuntimePreviewView> =>
    (await w.api.as(w.admin.secret, { method: 'POST', url: '/api/v1/runtimes:preview', payload })).json()
  const fresh = await preview(w.manifest('cart', { functions: [fn('hello', {}, { SECRET: SENTINEL, PIN: '12' })] }))
  expect(fresh).toMatchObject({ change: 'created', template: { before: null, after: 'k8s_deployment' }, problems: [] })
  expect(fresh.objects.map(({ object, change }) => `${change} ${object}`).toSorted()).toEqual([
    'created Deployment/cart--hello',
    'created Service/cart--hello',
  ])
  const made = fresh.objects.find(({ object }) => object === 'Deployment/cart--hello')?.fields
  const inContainer = 'spec.template.spec.containers[name=function]'
  expect(made).toContainEqual({ field: `${inContainer}.image`, change: 'added', after: 'registry.example/hello:1' })
  for (const name of ['SECRET', 'PIN']) {
    const after = expect.stringMatching(/^\(hidden [0-9a-f]{8}\)$/) as string
    expect(made).toContainEqual({ field: `${inContainer}.env[name=${name}].value`, change: 'added', after })
  }
  expectNoSentinel(fresh)
  expect(await w.controlPlane.names(ClassRuntime)).toEqual([])

  await w.controlPlane.create('cart', { functions: [fn('add', {}, { SECRET: SENTINEL }), fn('pay')] })
  await w.shows('cart', isUp)
  const functions = [fn('add', { container_image: 'registry.example/hello:2' }, { SECRET: SENTINEL_LINE })]
  const next = await preview(w.manifest('cart', { functions }))
  expect(next.change).toBe('changed')
  expect(next.objects.map(({ object, change }) => `${change} ${object}`).toSorted()).toEqual([
    'changed Deployment/cart--add',
    'deleted Deployment/cart--pay',
    'deleted Service/cart--pay',
  ])
  const fields = next.objects.find(({ object }) => object === 'Deployment/cart--add')?.fields
  expect(fields).toContainEqual({
    field: `${inContainer}.image`,
    change: 'changed',
    before: 'registry.example/hello:1',
    after: 'registry.example/hello:2',
  })
  expectNoSentinel(next)
  expectNoSentinel(next, SENTINEL_LINE)
  const broken = await preview(w.manifest('cart', { functions: [{ function_key: 'imageless' }] }))
  expect(broken.problems).toEqual([expect.objectContaining({ field: expect.stringContaining('functions[0]') })])
  expect((await w.controlPlane.runtime('cart')).metadata.generation).toBe(1)
})

test('a runtime explains itself and tells what happened to it', async () => {
  await using w = await runtimesApi()
  await w.api.as(w.admin.secret, { method: 'POST', url: '/api/v1/runtimes', payload: w.manifest('cart') })
  await w.shows('cart', () => true)
  const before = await w.read<ExplanationView>(`${w.path('cart')}/explain`)
  expect(before.why).toEqual(expect.arrayContaining(['nobody has looked at it yet']))
  await w.controlPlane.controller()
  await w.shows('cart', isUp)
  const after = await w.read<ExplanationView>(`${w.path('cart')}/explain`)
  expect(after).toMatchObject({ whose_move: 'nobody', next: 'nothing, until something changes', blockers: [] })
  const { items } = await w.read<TimelineView>(`${w.path('cart')}/timeline`)
  const told = items.map(({ source, what }) => `${source} ${what}`)
  expect(told).toEqual(expect.arrayContaining(['audit created', 'phase available']))
  expect(items.find(({ source }) => source === 'audit')?.actor).toMatch(/@example.test$/)
  const seen = await w.api.as(w.member.secret, { url: `${w.path('cart')}/timeline` })
  expect(seen.json<TimelineView>().items.find(({ source }) => source === 'audit')?.actor).toBe('an admin')
  expect(items.map(({ at }) => at)).toEqual(
    items
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
  )
})

test('a package becomes runtimes, again and again the same ones', async () => {
  await using w = await runtimesApi()
  const source = {
    name: 'shop',
    version: '1.0.0',
    classes: [{ key: 'cart', function_bindings: [{ name: 'add', function_key: 'add' }] }],
    functions: [
      { key: 'add', function_type: 'CUSTOM', provision_config: { container_image: 'registry.example/add:1' } },
    ],
    deployments: [
      { key: 'cart-cloud', class_key: 'cart', target_envs: ['cloud'] },
      { key: 'cart-edge', class_key: 'cart', target_envs: ['edge'] },
    ],
  }
  const apply = async (more: object) => {
    const payload = { package: source, namespace: w.controlPlane.namespace, environment: 'cloud', ...more }
    const answer = await w.api.as(w.admin.secret, { method: 'POST', url: '/api/v1/runtimes:apply-package', payload })
    return answer.json<PackageAppliedView>()
  }
  const applied = { id: `${w.controlPlane.namespace}/cart-cloud`, deployment_key: 'cart-cloud' }
  expect((await apply({ dry_run: true })).items).toMatchObject([{ ...applied, change: 'created' }])
  expect(await w.controlPlane.names(ClassRuntime)).toEqual([])
  expect(await apply({})).toMatchObject({
    items: [{ ...applied, change: 'created' }],
    skipped: [{ deployment_key: 'cart-edge', because: expect.stringContaining('edge') }],
  })
  expect((await apply({})).items).toMatchObject([{ ...applied, change: 'unchanged' }])
  expect(await apply({ package: { ...source, classes: [] } })).toMatchObject({
    code: 'InvalidRequest',
    errors: [
      expect.objectContaining({ field: expect.stringMatching(/^package\.deployments\[0\]/) }),
      expect.anything(),
    ],
  })
})
