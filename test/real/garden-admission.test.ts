import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Projects, Shoots } from '../../src/domains/clusters/gardener/resources.ts'
import type { Shoot, ShootSpec, ShootWorker } from '../../src/domains/clusters/gardener/shoot.ts'
import {
  httpTransport,
  KubeError,
  loadKubeConfig,
  makeClient,
  Namespace,
  ResourceQuota,
  type Client,
  type Draft,
  type HttpTransport,
} from '../../src/kube/index.ts'
import { bindCredentials } from '../../tools/garden/credentials.ts'
import { exampleShoot, exampleWorker } from '../../tools/garden/example-shoot.ts'
import { startGarden, type Garden } from '../../tools/garden/index.ts'
import { GARDEN } from '../../tools/garden/landscape.ts'
import { Quota } from '../../tools/garden/resources.ts'
import { golden } from '../support/golden.ts'
import { seen } from '../support/kube.ts'

/** What the admission of Gardener answers to what it refuses, kept as input for the code that reads it. */
const FILE = 'testdata/clusters/admission.json'

interface Refusal {
  readonly case: string
  readonly status: number
  readonly reason: string
  readonly message: string
  readonly causes: NonNullable<KubeError['details']['causes']>
}

/** A project name of the greatest length, which leaves eleven characters for the name of a Shoot. */
const PROJECT = 'org1abcd12'
const NAMESPACE = `garden-${PROJECT}`

let dir = ''
let garden: Garden
let transport: HttpTransport
let client: Client

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'caelus-admission-'))
  // No operation on a Shoot goes on while this test runs.
  garden = await startGarden({ dir: join(dir, 'garden'), pace: { stepMs: 3_600_000 } })
  transport = httpTransport(await loadKubeConfig({ path: garden.kubeconfig }))
  client = makeClient(transport, { fieldManager: 'test' })
})
afterAll(async () => {
  await transport.close()
  await garden.stop()
  await rm(dir, { recursive: true, force: true })
})

const shoot = (spec: Partial<ShootSpec> = {}, name = 'clusterx1y2', namespace = NAMESPACE): Draft<Shoot> => {
  const example = exampleShoot(namespace, name)
  return { ...example, spec: { ...example.spec, ...spec } }
}

const workers = (...changes: ReadonlyArray<Partial<ShootWorker>>): Partial<ShootSpec> => ({
  provider: { type: 'local', workers: changes.map((change) => ({ ...exampleWorker, ...change })) },
})

const window = (begin: string, end: string): Partial<ShootSpec> => ({ maintenance: { timeWindow: { begin, end } } })

const machine = (type: string): Partial<ShootWorker> => ({ machine: { ...exampleWorker.machine, type } })
const image = (name: string, version: string): Partial<ShootWorker> => ({
  machine: { ...exampleWorker.machine, image: { name, version } },
})

/** Drafts that are refused when they are written for the first time. */
const NEW_SHOOTS: ReadonlyArray<readonly [string, Draft<Shoot>]> = [
  ['name too long', shoot({}, 'clusterx1y2z')],
  ['name not allowed', shoot({}, 'Cluster')],
  ['unknown region', shoot({ region: 'mars' })],
  ['unknown version', shoot({ kubernetes: { version: '1.20.0' } })],
  ['unknown minor version', shoot({ kubernetes: { version: '1.20' } })],
  ['expired version', shoot({ kubernetes: { version: '1.32.9' } })],
  ['unknown machine type', shoot(workers(machine('huge')))],
  ['machine type not usable', shoot(workers(machine('retired')))],
  ['unknown image', shoot(workers(image('nope', '1.0.0')))],
  ['unknown image version', shoot(workers(image('local', '9.0.0')))],
  ['missing binding', shoot({ credentialsBindingName: 'nope' })],
  ['no binding', shoot({ credentialsBindingName: '' })],
  ['minimum above maximum', shoot(workers({ minimum: 5 }))],
  ['negative minimum', shoot(workers({ minimum: -1 }))],
  ['no machine at all', shoot(workers({ minimum: 0, maximum: 0 }))],
  ['surge 0 and unavailable 0', shoot(workers({ maxSurge: 0 }))],
  ['worker name too long', shoot(workers({ name: 'sixteencharslong' }))],
  ['worker name not allowed', shoot(workers({ name: 'Default_1' }))],
  ['duplicate worker names', shoot(workers({}, {}))],
  ['no workers', shoot({ provider: { type: 'local', workers: [] } })],
  ['unknown CloudProfile', shoot({ cloudProfile: { kind: 'CloudProfile', name: 'nope' } })],
  ['unknown provider', shoot({ provider: { type: 'aws', workers: [exampleWorker] } })],
  ['unknown network type', shoot({ networking: { type: 'cilium', nodes: '10.0.0.0/16' } })],
  ['maintenance window too short', shoot(window('220000+0000', '221000+0000'))],
  ['maintenance window too long', shoot(window('220000+0000', '050000+0000'))],
  ['several of the admission at once', shoot({ region: 'mars', ...workers(machine('huge')) })],
  ['several of the validation at once', shoot(workers({ minimum: 5, name: 'sixteencharslong' }))],
  ['namespace without project', shoot({}, 'clusterx1y2', 'plain')],
  ['missing namespace', shoot({}, 'clusterx1y2', 'absent')],
  ['quota of the binding exceeded', shoot({ credentialsBindingName: 'limited' })],
]

async function refusalOf(name: string, write: Promise<unknown>): Promise<Refusal> {
  const error = await write.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof KubeError)) throw new Error(`${name} was not refused`, { cause: error })
  const { status, reason, said, details } = error
  return { case: name, status, reason, message: said, causes: details.causes ?? [] }
}

/** As the sync worker writes it. A plain creation is listed beside it where it is answered in other words. */
async function refusalsOfNew(name: string, draft: Draft<Shoot>): Promise<readonly Refusal[]> {
  const dryRun = { dryRun: true }
  const applied = await refusalOf(name, client.apply(Shoots, draft, dryRun))
  const created = await refusalOf(name, client.create(Shoots, draft, dryRun))
  const isSame = JSON.stringify(applied) === JSON.stringify(created)
  return isSame ? [applied] : [applied, { ...created, case: `${name} (created)` }]
}

const at = (name: string) => ({ namespace: NAMESPACE, name })
const merge = (name: string, change: object): Promise<Shoot> =>
  client.patch(Shoots, at(name), { merge: change }, { dryRun: true })

test('what the admission of Gardener answers is what the file says', async () => {
  await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'plain' } })
  await client.create(Projects, {
    apiVersion: 'core.gardener.cloud/v1beta1',
    kind: 'Project',
    metadata: { name: PROJECT },
    spec: { namespace: NAMESPACE },
  })
  const admitted = (): Promise<unknown> =>
    client.create(Shoots, shoot(), { dryRun: true }).then(() => 'admitted', String)
  await expect.poll(admitted, { timeout: 30_000 }).toBe('admitted')
  await client.create(Quota, {
    apiVersion: 'core.gardener.cloud/v1beta1',
    kind: 'Quota',
    metadata: at('small'),
    spec: { scope: { apiVersion: 'v1', kind: 'Secret' }, metrics: { cpu: '2', memory: '8Gi' } },
  })
  const quotas = [{ apiVersion: 'core.gardener.cloud/v1beta1', kind: 'Quota', ...at('small') }]
  await expect
    .poll(() => bindCredentials(client, NAMESPACE, { name: 'limited', quotas }).then(() => 'bound', String))
    .toBe('bound')
  const isKnown = async (): Promise<string> =>
    (await refusalOf('', client.create(Shoots, shoot({ credentialsBindingName: 'limited' }), { dryRun: true }))).message
  await expect.poll(isKnown).toContain('quota')

  const refusals: Refusal[] = []
  for (const [name, draft] of NEW_SHOOTS) refusals.push(...(await refusalsOfNew(name, draft)))

  await client.create(Shoots, shoot({ kubernetes: { version: '1.33.5' } }, 'old'))
  await client.create(Shoots, shoot({ kubernetes: { version: '1.35.4' } }, 'kept'))
  await client.create(Shoots, shoot({}, 'ending'))
  const version = (text: string): object => ({ spec: { kubernetes: { version: text } } })
  const changes: ReadonlyArray<readonly [string, () => Promise<unknown>]> = [
    ['downgrade', () => merge('kept', version('1.34.3'))],
    ['downgrade of the patch', () => merge('kept', version('1.35.2'))],
    ['two minor versions at once', () => merge('old', version('1.35.4'))],
    ['change to an unknown version', () => merge('kept', version('1.35.9'))],
    ['region change', () => merge('kept', { spec: { region: 'eu-north' } })],
    ['provider change', () => merge('kept', { spec: { provider: { type: 'aws' } } })],
    ['completion of a rotation that was not started', () => merge('kept', operation('rotate-credentials-complete'))],
    ['unknown operation', () => merge('kept', operation('fly'))],
    ['delete without confirmation', () => client.delete(Shoots, at('kept'), { dryRun: true })],
  ]
  for (const [name, write] of changes) refusals.push(await refusalOf(name, write()))

  await seen(client, Shoots, at('ending'), ({ status }) => status?.lastOperation !== undefined)
  await client.patch(Shoots, at('ending'), {
    merge: { metadata: { annotations: { 'confirmation.gardener.cloud/deletion': 'true' } } },
  })
  await client.delete(Shoots, at('ending'))
  refusals.push(await refusalOf('change while deleting', merge('ending', { spec: { region: 'eu-north' } })))
  refusals.push(await refusalOf('upgrade while deleting', merge('ending', version('1.35.4'))))

  await limitShoots(GARDEN)
  const oneMore = shoot({}, 'clusterx1y2', GARDEN)
  const isLimited = async (): Promise<string> => {
    await countShoots(GARDEN)
    return await client.create(Shoots, oneMore, { dryRun: true }).then(() => 'admitted', String)
  }
  await expect.poll(isLimited).toContain('quota')
  refusals.push(...(await refusalsOfNew('quota of the project exceeded', oneMore)))

  const project = (name: string, namespace: string) =>
    client.create(
      Projects,
      {
        apiVersion: 'core.gardener.cloud/v1beta1',
        kind: 'Project',
        metadata: { name },
        spec: { namespace },
      },
      { dryRun: true },
    )
  refusals.push(await refusalOf('project name too long', project('org1abcd123', 'garden-other')))
  refusals.push(await refusalOf('project namespace taken', project('other', NAMESPACE)))
  refusals.push(
    await refusalOf(
      'project deletion without confirmation',
      client.delete(Projects, { name: PROJECT }, { dryRun: true }),
    ),
  )
  golden(FILE, `${JSON.stringify(refusals, null, 2)}\n`)
})

const SHOOTS = 'count/shoots.core.gardener.cloud'

async function limitShoots(namespace: string): Promise<void> {
  await client.create(ResourceQuota, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace, name: 'shoots' },
    spec: { hard: { [SHOOTS]: '0' } },
  })
}

/** In place of the kube-controller-manager, which asks for new kinds every 30 s and counts every five minutes. */
async function countShoots(namespace: string): Promise<void> {
  const status = { hard: { [SHOOTS]: '0' }, used: { [SHOOTS]: '0' } }
  await client.patchStatus(ResourceQuota, { namespace, name: 'shoots' }, { merge: { status } })
}

const operation = (name: string): object => ({ metadata: { annotations: { 'gardener.cloud/operation': name } } })
