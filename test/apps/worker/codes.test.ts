import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TemplateInput } from '../../../src/domains/apps/usecases/index.ts'
import { createNamespace } from '../../../src/domains/apps/fence.ts'
import { charts } from '../../../src/domains/apps/helm/index.ts'
import { systemClock } from '../../../src/kernel/index.ts'
import { Deployment, Namespace, Pod, ResourceQuota } from '../../../src/kube/index.ts'
import { seen } from '../../support/kube.ts'
import { writeChart } from '../helm/world.ts'
import { neverReady, page } from './charts.ts'
import { ADMIN, WorkerWorld } from './world.ts'

let world: WorkerWorld
let orders = 0

/** One worker that has fetched no chart yet, and leaves what failed alone for as long as a test looks at it. */
beforeAll(async () => {
  world = await WorkerWorld.make()
  await world.worker({
    charts: charts({ cacheDir: join(world.dir, 'charts of the worker'), localPaths: true }),
    backoff: { baseMs: 600_000, capMs: 600_000, maxAttempts: 8 },
  })
})
afterAll(async () => world[Symbol.asyncDispose]())

const order = (templateId: string) =>
  world.orderWithoutVolume({}, `${String.fromCodePoint(97 + orders++)}.example.com`, { templateId })

const SCHEMA_OF_USER = { type: 'object', properties: { message: { type: 'string' } } }

interface Trouble {
  readonly code: string
  readonly whoseMove: string
  readonly says: RegExp
  readonly nextStep: RegExp
  readonly input?: Partial<TemplateInput>
  /** What happens to the chart after it was published. */
  readonly spoil?: (folder: string) => Promise<unknown>
}

test.each<Trouble>([
  {
    code: 'ChartMissing',
    whoseMove: 'operator',
    says: /there is nothing at that path/,
    nextStep: /Push the named chart version/,
    spoil: (folder) => rm(folder, { recursive: true }),
  },
  {
    code: 'DigestMismatch',
    whoseMove: 'operator',
    says: /it is sha256:[0-9a-f]{64}, and the template says sha256:/,
    nextStep: /publish a template with the digest that you trust/,
    spoil: (folder) => writeFile(join(folder, 'templates/page.yaml'), page('replaced')),
  },
  {
    code: 'SchemaViolation',
    whoseMove: 'user',
    says: /\/user\/message/,
    nextStep: /Correct the values/,
    input: {
      defaultValues: { user: { title: 'untitled' } },
      valuesSchema: {
        type: 'object',
        properties: { user: SCHEMA_OF_USER },
        allOf: [{ properties: { user: { required: ['message'] } } }],
      },
    },
  },
  {
    code: 'TemplateBroken',
    whoseMove: 'operator',
    says: /\/replicas/,
    nextStep: /whose defaults and schema agree/,
    input: {
      defaultValues: { replicas: 'many' },
      valuesSchema: { type: 'object', properties: { user: SCHEMA_OF_USER, replicas: { type: 'integer' } } },
    },
  },
])('$code is told to the $whoseMove before anything is made', async (trouble) => {
  const { code, whoseMove, says, nextStep, input, spoil } = trouble
  const folder = await writeChart(world.dir, { 'page.yaml': page(code) })
  const templateId = await world.publish(folder, input)
  await spoil?.(folder)
  const { id, namespaceName: name } = await order(templateId)
  const { lastError, nextReconcileAt } = await world.until(id, 'error')
  expect(lastError).toMatchObject({ code, whoseMove, retryable: false })
  expect(lastError?.message).toMatch(says)
  expect(lastError?.nextStep).toMatch(nextStep)
  expect(nextReconcileAt).toBeNull()
  expect(await world.client.get(Namespace, { name })).toBeUndefined()
})

test('QuotaExceeded names the quota, and does not stand in the way of a deletion', async () => {
  const templateId = await world.publish(await writeChart(world.dir, { 'page.yaml': page('quota') }))
  await world.apps.freezeTenant(ADMIN, world.userId, 'until the quota is there')
  const { id, namespaceName: namespace, userId } = await order(templateId)
  await createNamespace({ client: world.client, clock: systemClock }, { namespace, deploymentId: id, userId, fence: 0 })
  const at = { namespace, name: 'no-pages' }
  await world.client.create(ResourceQuota, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: at,
    spec: { hard: { configmaps: '0' } },
  })
  await seen(world.client, ResourceQuota, at, ({ status }) => status?.used?.['configmaps'] !== undefined)
  await world.apps.unfreezeTenant(ADMIN, world.userId)
  await expect.poll(async () => (await world.row(id)).lastError?.code, { timeout: 30_000 }).toBe('QuotaExceeded')
  const { lastError, nextReconcileAt } = await world.row(id)
  expect(lastError).toMatchObject({ whoseMove: 'user', retryable: true })
  expect(lastError?.message).toContain('no-pages')
  expect(lastError?.nextStep).toContain('Ask for less')
  expect(nextReconcileAt).not.toBeNull()
  await world.apps.deleteDeployment(ADMIN, { id })
  await world.until(id, 'deleted')
})

test('ImageNeverReady quotes the pods, which stay to be looked at', async () => {
  const folder = await writeChart(world.dir, { 'web.yaml': neverReady })
  // Long enough for us to say what no kubelet says here, and for the worker to ask about it.
  const templateId = await world.publish(folder, { healthTimeoutSec: 25 })
  const { id, namespaceName: namespace } = await order(templateId)
  const pods = () => world.client.list(Pod, { namespace })
  await expect.poll(async () => (await pods()).length, { timeout: 30_000 }).toBe(1)
  const [pod] = await pods()
  const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "registry.invalid/web:1"' }
  const container = { name: 'web', image: 'web', imageID: '', ready: false, restartCount: 0, state: { waiting } }
  await world.client.patchStatus(
    Pod,
    { namespace, name: pod?.metadata.name ?? '' },
    { merge: { status: { containerStatuses: [container] } } },
  )
  await expect.poll(async () => (await world.row(id)).lastError?.code, { timeout: 40_000 }).toBe('ImageNeverReady')
  const { lastError } = await world.row(id)
  expect(lastError).toMatchObject({ whoseMove: 'operator', retryable: true })
  expect(lastError?.message).toContain(
    `container web of pod ${pod?.metadata.name}: ImagePullBackOff ${waiting.message}`,
  )
  expect(lastError?.nextStep).toContain('Check that the image exists')
  expect((await pods()).map(({ metadata }) => metadata.name)).toEqual([pod?.metadata.name])
  expect(await world.client.get(Deployment, { namespace, name: 'web' })).toBeDefined()
})
