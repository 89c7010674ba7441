import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { tarOf } from '../../../src/domains/apps/helm/tar.ts'
import type { Trial } from '../../../src/domains/apps/index.ts'
import type { ServedResource } from '../../../src/kube/index.ts'
import { appsWorld, CHART, chartOf, codeOf, fieldsOf, registry } from './world.ts'
import type { IgnoreRule } from '../../../src/domains/apps/drift/ignore-rules.ts'
import type { LayoutInput } from '../../../src/domains/apps/usecases/index.ts'

test('a product exists once by name, is found by everybody who is logged in, and is changed by admins alone', async () => {
  await using w = await appsWorld()
  const { id } = await w.apps.createProduct(w.admin, { name: ' Shop ', description: 'sells' })
  expect(await w.apps.getProduct(w.ann, id)).toMatchObject({ name: 'Shop', description: 'sells', templateId: null })
  expect(await codeOf(w.apps.createProduct(w.admin, { name: 'SHOP' }))).toBe('NameTaken')
  expect(await codeOf(w.apps.createProduct(w.ann, { name: 'Mine' }))).toBe('NotAllowed')
  expect(await codeOf(w.apps.updateProduct(w.ann, id, { name: 'Mine' }))).toBe('NotAllowed')
  expect(await w.apps.updateProduct(w.admin, id, { icon: 'x' })).toMatchObject({ description: 'sells', icon: 'x' })
  expect(await w.apps.updateProduct(w.admin, id, { description: null })).toMatchObject({ description: null, icon: 'x' })
  expect(await codeOf(w.apps.getProduct({ admin: false }, id))).toBe('NotFound')
})

test('a deleted product is gone from the list, frees its name, and cannot be ordered', async () => {
  await using w = await appsWorld()
  const { product, template } = await w.product()
  await w.apps.deleteProduct(w.admin, product.id)
  expect((await w.apps.listProducts(w.ann, { limit: 10 })).items).toEqual([])
  expect(await codeOf(w.apps.deleteProduct(w.admin, product.id))).toBe('NotFound')
  const input = { userId: w.ann.userId, templateId: template.id, domainname: 'a.example.org' }
  expect(await fieldsOf(w.apps.createDeployment(w.ann, input))).toEqual({
    template_id: 'names no template that can be ordered',
  })
  await w.product()
})

test('lists go on where they stopped, whatever was added meanwhile', async () => {
  await using w = await appsWorld()
  for (const name of ['b', 'D', 'a', 'C']) await w.apps.createProduct(w.admin, { name })
  const first = await w.apps.listProducts(w.ann, { limit: 2 })
  await w.apps.createProduct(w.admin, { name: 'aa' })
  const second = await w.apps.listProducts(w.ann, { limit: 2, after: first.next ?? [] })
  expect([...first.items, ...second.items].map(({ name }) => name)).toEqual(['a', 'b', 'C', 'D'])
  expect(second.next).toBeNull()
  expect(await fieldsOf(w.apps.listProducts(w.ann, { limit: 2, after: ['x', 'y'] }))).toEqual({
    cursor: 'is not a next_cursor of this list',
  })
})

test('a template takes schema, defaults and digest from its chart, which is fetched outside of any transaction', async () => {
  await using w = await appsWorld()
  const { id: productId } = await w.apps.createProduct(w.admin, { name: 'Hello' })
  const chart = chartOf('1.0.0')
  const input = {
    productId,
    ...CHART,
    defaultValues: { user: { message: 'ours', replicas: 1 } },
    versionLabel: 'first',
  }
  const template = await w.apps.publishTemplate(w.admin, input)
  expect(template).toMatchObject({
    productId,
    chartDigest: chart.digest,
    valuesSchema: chart.valuesSchema,
    defaultValues: { image: 'nginx', user: { message: 'ours', replicas: 1 } },
    overrides: { user: { message: 'ours' } },
    healthTimeoutSec: 600,
  })
  expect(await w.apps.getTemplate(w.ann, template.id, productId)).toEqual(template)
  expect(await codeOf(w.apps.getTemplate(w.ann, template.id, w.ann.userId))).toBe('NotFound')
  expect(await codeOf(w.apps.publishTemplate(w.ann, input))).toBe('NotAllowed')
})

test('the fields of a stored template stand in the order in which its author wrote them', async () => {
  await using w = await appsWorld()
  const { id: productId } = await w.apps.createProduct(w.admin, { name: 'Hello' })
  const text = { type: 'string' }
  const properties = { message: text, replicas: text, a: text, title: text }
  const valuesSchema = { type: 'object', properties: { user: { type: 'object', properties } } }
  const defaultValues = { user: { message: 'x', replicas: '1', a: 'y', title: 'z' } }
  const { id } = await w.apps.publishTemplate(w.admin, { productId, ...CHART, valuesSchema, defaultValues })
  const stored = await w.apps.getTemplate(w.ann, id, productId)
  expect(JSON.stringify(stored.valuesSchema)).toBe(JSON.stringify(valuesSchema))
})

test('a template that says the same as another is refused, also when both are published at once', async () => {
  await using w = await appsWorld()
  const { id: productId } = await w.apps.createProduct(w.admin, { name: 'Hello' })
  const publish = (more = {}): Promise<string> =>
    codeOf(w.apps.publishTemplate(w.admin, { productId, ...CHART, ...more }))
  const both = await Promise.all([publish(), publish({ versionLabel: 'the same with a label' })])
  expect(both.toSorted()).toEqual(['TemplateExists', 'succeeded'])
  expect(await publish({ capabilities: { backup: true }, versionLabel: 'A' })).toBe('succeeded')
  expect(await publish({ chartVersion: '1.1.0', versionLabel: 'a' })).toBe('TemplateExists')
})

test('a schema that cannot be used is refused by the place that is wrong', async () => {
  await using w = await appsWorld()
  const { id: productId } = await w.apps.createProduct(w.admin, { name: 'Hello' })
  const valuesSchema = { type: 'object', properties: { user: { type: 'nonsense' } } }
  const fields = await fieldsOf(w.apps.publishTemplate(w.admin, { productId, ...CHART, valuesSchema }))
  expect(Object.keys(fields)[0]).toBe('values_schema/properties/user/type')
  const { problems } = await w
    .appsWith({ charts: registry({ valuesSchema }) })
    .inspectChart(w.admin, { ref: CHART.chartRef, version: '1.0.0', digest: null })
  expect(new Set(problems.map(({ field }) => field))).toEqual(new Set(Object.keys(fields)))
})

test('the canonical template is one of the product, and cannot be deleted before another is chosen', async () => {
  await using w = await appsWorld()
  const { product, template } = await w.product()
  const other = await w.product('Other')
  expect(product.templateId).toBe(template.id)
  expect(await fieldsOf(w.apps.setCanonicalTemplate(w.admin, product.id, other.template.id))).toEqual({
    template_id: 'names no template of Hello',
  })
  expect(await codeOf(w.apps.deleteTemplate(w.admin, template.id))).toBe('TemplateInUse')
  const next = await w.apps.publishTemplate(w.admin, { productId: product.id, ...CHART, chartVersion: '1.1.0' })
  await w.apps.setCanonicalTemplate(w.admin, product.id, next.id)
  await w.apps.deleteTemplate(w.admin, template.id, product.id)
  const { items } = await w.apps.listTemplates(w.ann, product.id, { limit: 10 })
  expect(items.map(({ id }) => id)).toEqual([next.id])
  expect(await fieldsOf(w.apps.setCanonicalTemplate(w.admin, product.id, template.id))).toHaveProperty('template_id')
})

test('a template says what of its objects may differ, and every rule is checked', async () => {
  await using w = await appsWorld()
  const { id: productId } = await w.apps.createProduct(w.admin, { name: 'Hello' })
  const publish = (driftIgnore: readonly IgnoreRule[]) =>
    w.apps.publishTemplate(w.admin, { productId, ...CHART, driftIgnore })
  const rules = [{ group: 'apps', kind: 'Deployment', name: '*-web', paths: ['/spec/replicas'] }]
  const { id } = await publish(rules)
  expect((await w.apps.getTemplate(w.ann, id)).driftIgnore).toEqual(rules)
  expect((await w.apps.getTemplate(w.ann, (await publish([])).id)).driftIgnore).toEqual([])
  await expect(publish(rules)).rejects.toMatchObject({ failure: { code: 'TemplateExists' } })
  expect(await fieldsOf(publish([{ kind: 'Deployment', paths: ['/metadata/uid'] }]))).toEqual({
    'drift_ignore/0/paths/0': expect.stringContaining('name a label or an annotation'),
  })
})

test('a template says where the platform and the tenant write, and every path is looked at', async () => {
  await using w = await appsWorld()
  const valuesSchema = {
    type: 'object',
    properties: { host: { type: 'string', title: 'Hostname' }, title: { type: 'string' } },
  }
  const apps = w.appsWith({
    charts: registry({ defaultValues: { hosts: ['x'], title: 'hi', text: 'a' }, valuesSchema }),
  })
  const { id: productId } = await apps.createProduct(w.admin, { name: 'Hello' })
  const publish = (layout: LayoutInput) => apps.publishTemplate(w.admin, { productId, ...CHART, layout })
  const { layout } = await publish({
    domainPaths: ['hosts[0]', 'serverName'],
    ingressClassPaths: [],
    plan: { size: 1 },
  })
  expect(layout).toEqual({
    domainPaths: ['/hosts/0', '/serverName'],
    ingressClassPaths: [],
    caelusValues: true,
    plan: { size: 1 },
    userValues: 'user',
  })
  const atRoot = await publish({ userValues: 'root' })
  expect((await apps.getTemplate(w.ann, atRoot.id)).layout).toMatchObject({ domainPaths: ['/host'], plan: {} })
  const order = { userId: w.ann.userId, templateId: atRoot.id, domainname: 'a.example.org' }
  expect(await fieldsOf(apps.createDeployment(w.ann, { ...order, userValues: { host: 'b', title: 'c' } }))).toEqual({
    '/user/host': 'is set by the platform and cannot be changed',
  })
  expect(await fieldsOf(apps.createDeployment(w.ann, { ...order, userValues: { hosts: [], title: 'c' } }))).toEqual({
    '/user/hosts': 'cannot be set: this product has no such setting',
  })
  const ordered = await apps.createDeployment(w.ann, { ...order, userValues: { title: 'c' } })
  const { after } = await apps.previewUpdate(w.ann, { id: ordered.id }, { userValues: { title: 'd' } })
  expect(after.given).toMatchObject({ host: 'a.example.org', title: 'd', caelus: { plan: {} } })
  expect(after.given).not.toHaveProperty('text')

  const problems = await fieldsOf(
    publish({
      domainPaths: ['hosts[1]', 'a..b', 'user.host', 'text.host', 'serverName', 'serverName.more'],
      ingressClassPaths: ['caelus.class', 'hosts'],
      caelusValues: false,
      plan: { size: 1 },
    }),
  )
  expect(Object.keys(problems).toSorted()).toEqual([
    'layout/domain_paths/0',
    'layout/domain_paths/1',
    'layout/domain_paths/2',
    'layout/domain_paths/3',
    'layout/domain_paths/5',
    'layout/ingress_class_paths/0',
    'layout/ingress_class_paths/1',
    'layout/plan',
  ])
})

test('orders of what the control plane has no kind for are refused until it has', async () => {
  await using w = await appsWorld()
  const dir = await mkdtemp(join(tmpdir(), 'caelus-catalogue-'))
  try {
    const archive = join(dir, 'hello.tgz')
    await writeFile(archive, gzipSync(tarOf([{ name: 'hello/Chart.yaml', content: Buffer.from('name: hello') }])))
    const widget = { apiVersion: 'odd.example.org/v1', kind: 'Widget', metadata: { name: 'w' } }
    let served: readonly ServedResource[] | 'away' = []
    const kinds = () => (served === 'away' ? Promise.reject(new Error('away')) : Promise.resolve(served))
    const trial: Trial = {
      helm: { render: () => Promise.resolve([widget]) },
      discovery: { all: kinds, resourceFor: async (_, kind) => (await kinds()).find((one) => one.kind === kind) },
      ingressClass: 'nginx',
    }
    const apps = w.appsWith({ charts: registry({ archive }), trial: () => trial })
    const { id: productId } = await apps.createProduct(w.admin, { name: 'Hello' })
    const { id: templateId, inspection } = await apps.publishTemplate(w.admin, { productId, ...CHART })
    expect(inspection?.findings.map(({ code }) => code)).toEqual(['KindMissing', 'DomainNowhere'])
    const order = (domainname: string) => apps.createDeployment(w.ann, { userId: w.ann.userId, templateId, domainname })
    expect(await fieldsOf(order('a.example.org'))).toEqual({
      template_id: 'needs Widget of odd.example.org/v1, which the control plane does not have',
    })
    expect(await codeOf(order('a.example.org'))).toBe('KindUnknown')
    served = 'away'
    expect(await codeOf(order('b.example.org'))).toBe('succeeded')
    served = [{ kind: 'Widget' } as ServedResource]
    expect(await codeOf(order('c.example.org'))).toBe('succeeded')
  } finally {
    await rm(dir, { recursive: true })
  }
})
