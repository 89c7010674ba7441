import { afterAll, beforeAll, expect, test } from 'vitest'
import { previewOf } from '../../../src/domains/apps/preview.ts'
import { ConfigMap, Deployment, guarded, pathText, Secret } from '../../../src/kube/index.ts'
import { writeChart } from '../helm/world.ts'
import { claim, onlyIn, page, replicated } from './charts.ts'
import { ADMIN, WorkerWorld } from './world.ts'

const HOST = '"{{ .Values.ingress.host }}"'
const BY_HAND = { fieldManager: 'kubectl-edit' }

let world: WorkerWorld
const steps: string[] = []
const verified: boolean[] = []
const requests: string[] = []

beforeAll(async () => {
  world = await WorkerWorld.make()
  const { told } = await world.worker({}, (transport) =>
    guarded(transport, ({ method, path }) => void requests.push(`${method} ${path}`)),
  )
  told.on('apps:step', ({ step }) => steps.push(step))
  told.on('apps:looked', ({ isRemembered }) => verified.push(isRemembered))
})
afterAll(async () => world[Symbol.asyncDispose]())

const settings = `apiVersion: v1
kind: ConfigMap
metadata: { name: "{{ .Release.Name }}-settings", annotations: { example.com/owner: chart, example.com/other: chart } }
data: { level: "{{ .Values.ingress.host }}", kept: ours }
---
apiVersion: v1
kind: Secret
metadata: { name: token }
stringData: { token: "{{ .Values.ingress.host }}", kept: ours }
`

const RULES = [
  { kind: 'ConfigMap', name: '*-settings', paths: ['/data/level', '/metadata/annotations/example.com~1owner'] },
  { group: 'apps', kind: 'Deployment', paths: ['/spec/template/spec/containers/*/image'] },
  { group: '', kind: 'Secret', paths: ['/data/token'] },
]

const base64 = (text: string): string => Buffer.from(text).toString('base64')

test('what a template ignores is neither drift nor taken over by an upgrade', async () => {
  const folder = await writeChart(world.dir, {
    'page.yaml': page(HOST),
    'settings.yaml': settings,
    'web.yaml': replicated(0),
  })
  const templateId = await world.publish(folder, { driftIgnore: RULES })
  const { id, namespaceName: namespace } = await world.orderWithoutVolume({}, 'one.example.com', { templateId })
  await world.until(id, 'ready')
  steps.length = 0

  const at = { namespace, name: `${namespace}-settings` }
  const metadata = { annotations: { 'example.com/owner': 'theirs' } }
  await world.client.patch(ConfigMap, at, { merge: { metadata, data: { level: 'theirs' } } }, BY_HAND)
  const image = 'registry.invalid/web:theirs'
  const containers = [{ name: 'web', image }]
  const web = { namespace, name: 'web' }
  await world.client.patch(Deployment, web, { strategic: { spec: { template: { spec: { containers } } } } }, BY_HAND)
  const token = { namespace, name: 'token' }
  await world.client.patch(Secret, token, { merge: { data: { token: base64('theirs') } } }, BY_HAND)
  const now = async () => {
    const [config, deployment, secret] = await Promise.all([
      world.client.get(ConfigMap, at),
      world.client.get(Deployment, web),
      world.client.get(Secret, token),
    ])
    return [
      config?.data?.['level'],
      config?.metadata.annotations?.['example.com/owner'],
      deployment?.spec?.template?.spec?.containers?.[0]?.image,
      secret?.data?.['token'],
    ]
  }
  const theirs = ['theirs', 'theirs', image, base64('theirs')]
  await world.lookAgain(id)
  expect([await now(), steps, (await world.row(id)).status]).toEqual([theirs, [], 'ready'])
  const { why } = await world.explain(id)
  expect(why).toEqual(
    expect.arrayContaining([
      `data.level of ConfigMap/${at.name} differs: the template ignores /data/level of ConfigMap/*-settings`,
      `metadata.annotations["example.com/owner"] of ConfigMap/${at.name} differs: the template ignores /metadata/annotations/example.com~1owner of ConfigMap/*-settings`,
      'spec.template.spec.containers[name=web].image of Deployment/web differs: the template ignores /spec/template/spec/containers/*/image of Deployment.apps',
      'data.token of Secret/token differs: the template ignores /data/token of Secret',
    ]),
  )

  // A pass over it is as quiet as any other.
  await expect.poll(async () => (await world.lookAgain(id), verified.at(-1)), { timeout: 45_000 }).toBe(true)
  requests.length = 0
  await world.lookAgain(id)
  expect([verified.at(-1), requests.filter((request) => request.includes(namespace))]).toEqual([true, []])

  // Other fields of the same objects are repaired, and these are not.
  const meddled = { metadata: { annotations: { 'example.com/other': 'theirs' } }, data: { kept: 'theirs' } }
  await world.client.patch(ConfigMap, at, { merge: meddled }, BY_HAND)
  await world.client.patch(Secret, token, { merge: { data: { kept: base64('theirs') } } }, BY_HAND)
  const repaired = async () => {
    const config = await world.client.get(ConfigMap, at)
    const secret = await world.client.get(Secret, token)
    return [config?.data?.['kept'], config?.metadata.annotations?.['example.com/other'], secret?.data?.['kept']]
  }
  await expect.poll(repaired, { timeout: 30_000 }).toEqual(['ours', 'chart', base64('ours')])
  await world.lookAgain(id)
  expect([await now(), [...new Set(steps)]]).toEqual([theirs, ['repairObjects']])

  // Upgrades whose manifest changes these very fields leave them to whoever holds them, again and again.
  for (const domainname of ['two.example.com', 'three.example.com']) {
    const inputs = await world.apps.previewUpdate(ADMIN, { id }, { domainname })
    const { objects, leftAlone } = await previewOf(await world.parts(), inputs)
    expect(objects.map(({ object, fields }) => [object, fields.map(({ path }) => pathText(path))])).toEqual([
      ['ConfigMap/page', ['data.text']],
    ])
    expect(leftAlone).toContainEqual({
      object: `ConfigMap/${at.name}`,
      path: 'data.level',
      why: 'the template ignores /data/level of ConfigMap/*-settings',
    })
    await world.apps.updateDeployment(ADMIN, { id }, { domainname })
    await world.until(id, 'ready')
    expect([await world.textIn(namespace), await now()]).toEqual([domainname, theirs])
  }

  // Without the rules they are the chart's again.
  const plain = await world.publish(folder)
  await world.apps.updateDeployment(ADMIN, { id }, { templateId: plain })
  await world.until(id, 'ready')
  expect(await now()).toEqual(['three.example.com', 'chart', 'registry.invalid/web:1', base64('three.example.com')])
})

test('what is ignored and held by nobody else is applied as the chart has it, and not removed', async () => {
  const folder = await writeChart(world.dir, { 'page.yaml': page(HOST), 'settings.yaml': settings })
  const templateId = await world.publish(folder, { driftIgnore: RULES })
  const { id, namespaceName: namespace } = await world.orderWithoutVolume({}, 'ours.example.com', { templateId })
  await world.until(id, 'ready')
  await world.apps.updateDeployment(ADMIN, { id }, { domainname: 'changed.example.com' })
  await world.until(id, 'ready')
  const at = { namespace, name: `${namespace}-settings` }
  expect((await world.client.get(ConfigMap, at))?.data?.['level']).toBe('changed.example.com')

  // Under our own name, as a webhook changes what we write.
  const data = { level: 'mutated', kept: 'ours' }
  const { labels = {}, annotations = {} } = (await world.client.get(ConfigMap, at))?.metadata ?? {}
  const mutated = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...at, labels, annotations }, data } as const
  await world.client.apply(ConfigMap, mutated, { fieldManager: 'helm', force: true })
  await world.lookAgain(id)
  expect((await world.client.get(ConfigMap, at))?.data?.['level']).toBe('mutated')
  await world.client.patch(ConfigMap, at, { merge: { data: { kept: 'theirs' } } }, BY_HAND)
  const live = async () => (await world.client.get(ConfigMap, at))?.data
  await expect.poll(live, { timeout: 30_000 }).toEqual({ level: 'changed.example.com', kept: 'ours' })
})

test('rules hold for the try after one that failed', async () => {
  // What brings a claim is not rolled back.
  const broken = onlyIn('broken', `${page('"x"', '"Not A Name"')}---\n${claim}`)
  const folder = await writeChart(world.dir, {
    'page.yaml': page(HOST),
    'settings.yaml': settings,
    'more.yaml': broken,
  })
  const mode = { type: 'string' }
  const templateId = await world.publish(folder, {
    driftIgnore: RULES,
    defaultValues: { user: { mode: 'calm' } },
    valuesSchema: { type: 'object', properties: { user: { type: 'object', properties: { mode } } } },
  })
  const { id, namespaceName: namespace } = await world.orderWithoutVolume({}, 'calm.example.com', { templateId })
  await world.until(id, 'ready')
  const at = { namespace, name: `${namespace}-settings` }
  await world.client.patch(ConfigMap, at, { merge: { data: { level: 'theirs' } } }, BY_HAND)
  await world.lookAgain(id)
  steps.length = 0
  await world.apps.updateDeployment(ADMIN, { id }, { domainname: 'fails.example.com', userValues: { mode: 'broken' } })
  await expect.poll(async () => (await world.row(id)).lastError, { timeout: 60_000 }).not.toBeNull()
  await world.apps.updateDeployment(ADMIN, { id }, { domainname: 'works.example.com', userValues: { mode: 'calm' } })
  await world.until(id, 'ready')
  expect([await world.textIn(namespace), (await world.client.get(ConfigMap, at))?.data?.['level']]).toEqual([
    'works.example.com',
    'theirs',
  ])
  expect(new Set(steps)).toEqual(new Set(['upgrade']))
})
