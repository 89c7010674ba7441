import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { CloudProfiles, CredentialsBindings, Projects, Shoots } from '../../src/domains/clusters/gardener/resources.ts'
import type { Shoot, ShootState } from '../../src/domains/clusters/gardener/shoot.ts'
import {
  ConfigMap,
  httpTransport,
  loadKubeConfig,
  makeClient,
  Namespace,
  Secret,
  type At,
  type Client,
  type Draft,
} from '../../src/kube/index.ts'
import { startControlPlane, type ControlPlane } from '../../tools/control-plane/index.ts'
import { exampleShoot, exampleWorker } from '../../tools/garden/example-shoot.ts'
import { endpointOf, startGarden, type Garden, type ShootEndpoint } from '../../tools/garden/index.ts'
import { InternalSecret, Seed } from '../../tools/garden/resources.ts'
import { identify } from '../../tools/process/index.ts'
import { seen } from '../support/kube.ts'

const PACE = { stepMs: 20, steps: 10, retryMs: 300 }

type LastOperation = NonNullable<ShootState['lastOperation']>

const dir = await mkdtemp(join(tmpdir(), 'caelus-garden-'))
const problems: unknown[] = []
let garden: Garden
let other: Garden
let behind: ControlPlane
let endpoint: ShootEndpoint
let client: Client
let namespace = ''
const closing: Array<() => Promise<void>> = []

beforeAll(async () => {
  const start = (name: string): Promise<Garden> =>
    startGarden({
      dir: join(dir, name),
      pace: PACE,
      endpointOf: () => endpoint,
      onError: (error) => problems.push(error),
    })
  ;[garden, other] = await Promise.all([start('one'), start('two')])
  process.stdout.write(`two gardens at once: ready after ${garden.readyAfterMs} and ${other.readyAfterMs} ms\n`)
  behind = await startControlPlane({
    dir: join(dir, 'behind'),
    nodes: 'none',
    clientAuthorities: [garden.clientAuthority],
  })
  endpoint = await endpointOf(behind.kubeconfig)
  client = await clientOf(garden.kubeconfig, (close) => closing.push(close))
  namespace = await projectNamespace(client, 'org1abcd12')
})
afterAll(async () => {
  for (const close of closing) await close()
  await Promise.all([garden.stop(), other.stop(), behind.stop()])
  await rm(dir, { recursive: true, force: true })
})

async function clientOf(
  kubeconfig: string,
  atEnd: (close: () => Promise<void>) => unknown = onTestFinished,
): Promise<Client> {
  const transport = httpTransport(await loadKubeConfig({ path: kubeconfig }))
  atEnd(() => transport.close())
  return makeClient(transport, { fieldManager: 'test' })
}

/** The namespace that gardener-controller-manager makes for a new project, with the credentials that are put there. */
async function projectNamespace(on: Client, name: string): Promise<string> {
  await on.create(Projects, {
    apiVersion: 'core.gardener.cloud/v1beta1',
    kind: 'Project',
    metadata: { name },
    spec: {},
  })
  const project = await seen(on, Projects, { name }, ({ status }) => status?.phase === 'Ready')
  const made = project.spec?.namespace ?? ''
  await seen(on, CredentialsBindings, { namespace: made, name: 'local' }, () => true)
  return made
}

const at = (name: string): Required<At> => ({ namespace, name })

/** Gardener's admission learns of a new binding a moment after it was written. */
async function created(draft: Draft<Shoot>): Promise<Shoot> {
  const admitted = (): Promise<string> => client.create(Shoots, draft, { dryRun: true }).then(() => 'admitted', String)
  await expect.poll(admitted).toBe('admitted')
  return await client.create(Shoots, draft)
}

const operationIs =
  (type: string, state: string) =>
  ({ metadata, status }: Shoot): boolean =>
    status?.lastOperation?.type === type &&
    status.lastOperation.state === state &&
    status.observedGeneration === metadata.generation

const isHealthy = ({ status }: Shoot): boolean =>
  status?.conditions?.length === 5 && status.conditions.every((one) => one.status === 'True')

/** A Shoot that has been created and is healthy. */
async function healthy(name: string): Promise<Shoot> {
  await created(exampleShoot(namespace, name))
  return await seen(client, Shoots, at(name), (shoot) => operationIs('Create', 'Succeeded')(shoot) && isHealthy(shoot))
}

/** All operations that a Shoot goes through because of `act`, none of them missed, and how it is seen last. */
async function watched(
  name: string,
  act: () => Promise<unknown>,
  isLast: (shoot: Shoot, isDeleted: boolean) => boolean,
): Promise<{ readonly operations: readonly LastOperation[]; readonly last: Shoot }> {
  const { resourceVersion } = await client.listPage(Shoots, { namespace, limit: 1 })
  await act()
  const operations: LastOperation[] = []
  const where = { namespace, fields: `metadata.name=${name}`, resourceVersion }
  for await (const event of client.watchEvents(Shoots, where, AbortSignal.timeout(60_000))) {
    if (event.type === 'BOOKMARK' || event.type === 'ERROR') continue
    const { lastOperation } = event.object.status ?? {}
    if (lastOperation !== undefined) operations.push(lastOperation)
    if (isLast(event.object, event.type === 'DELETED')) return { operations, last: event.object }
  }
  throw new Error(`the watch of ${name} ended after ${JSON.stringify(operations.at(-1))}`)
}

const merge = (name: string, change: object): Promise<Shoot> => client.patch(Shoots, at(name), { merge: change })
const annotate = (name: string, annotations: Readonly<Record<string, string | null>>): Promise<Shoot> =>
  merge(name, { metadata: { annotations } })

describe('a garden', () => {
  test('has the landscape of an operator', async () => {
    const profile = await client.get(CloudProfiles, { name: 'local' })
    expect(profile?.spec.regions?.length).toBeGreaterThan(1)
    const minors = new Set(profile?.spec.kubernetes.versions?.map(({ version }) => version.replace(/\.\d+$/, '')))
    expect(minors.size).toBeGreaterThan(3)
    expect(await client.get(Seed, { name: 'local' })).toBeDefined()
    expect(namespace).toMatch(/^garden-org1abcd12/)
    expect((await client.list(Secret, { namespace })).map(({ metadata }) => metadata.name)).toContain('local')
  })

  test('is apart from another one', async () => {
    const there = await clientOf(other.kubeconfig)
    expect(await there.get(Projects, { name: 'org1abcd12' })).toBeUndefined()
    expect(await there.get(CloudProfiles, { name: 'local' })).toBeDefined()
  })

  test('completes and refuses what it is given', async () => {
    const draft = exampleShoot(namespace, 'completed')
    const minor = { ...draft, spec: { ...draft.spec, kubernetes: { version: '1.34' } } }
    expect((await client.create(Shoots, minor, { dryRun: true })).spec.kubernetes.version).toBe('1.34.3')
    const huge = { ...exampleWorker, machine: { type: 'huge' } }
    const refused = { ...draft, spec: { ...draft.spec, provider: { type: 'local', workers: [huge] } } }
    await expect(client.create(Shoots, refused, { dryRun: true })).rejects.toThrow('Unsupported value: "huge"')
  })
})

describe('a Shoot', () => {
  test('is created task by task', async () => {
    const { operations, last: shoot } = await watched(
      'new',
      () => created(exampleShoot(namespace, 'new')),
      (next) => operationIs('Create', 'Succeeded')(next) && isHealthy(next),
    )
    expect([...new Set(operations.map(({ state }) => state))]).toEqual(['Pending', 'Processing', 'Succeeded'])
    const progress = operations.map((one) => one.progress)
    expect(progress).toEqual(progress.toSorted((x, y) => x - y))
    expect(operations.map(({ description }) => description)).toContain('Deploying Kubernetes API server')
    expect(shoot.metadata.finalizers).toContain('gardener')
    expect(shoot.spec.seedName).toBe('local')
    expect(shoot.status).toMatchObject({
      technicalID: 'shoot--org1abcd12--new',
      uid: shoot.metadata.uid,
      seedName: 'local',
      hibernated: false,
    })
  })

  test('is reconciled after a change, hibernates and wakes up', async () => {
    await healthy('changing')
    await merge('changing', { spec: { kubernetes: { version: '1.35.4' } } })
    await seen(client, Shoots, at('changing'), operationIs('Reconcile', 'Succeeded'))
    await merge('changing', { spec: { hibernation: { enabled: true } } })
    const asleep = await seen(
      client,
      Shoots,
      at('changing'),
      (shoot) => shoot.status?.hibernated === true && isHealthy(shoot),
    )
    expect(asleep.status?.conditions?.[0]?.reason).toBe('ConditionNotChecked')
    await merge('changing', { spec: { hibernation: { enabled: false } } })
    await seen(client, Shoots, at('changing'), (shoot) => shoot.status?.hibernated === false && isHealthy(shoot))
    const { metadata } = await annotate('changing', { 'gardener.cloud/operation': 'reconcile' })
    expect(metadata.annotations).not.toHaveProperty('gardener.cloud/operation')
    await seen(client, Shoots, at('changing'), operationIs('Reconcile', 'Succeeded'))
  })

  test('rotates its credentials in two steps', async () => {
    await healthy('rotating')
    const phases = ({ status }: Shoot): unknown[] => {
      const rotation = status?.credentials?.rotation ?? {}
      const parts = ['certificateAuthorities', 'serviceAccountKey', 'etcdEncryptionKey']
      return parts.map((part) => rotation[part]?.phase)
    }
    const reached = async (...expected: readonly string[]): Promise<Shoot> =>
      await seen(client, Shoots, at('rotating'), (shoot) =>
        expected.every((one, index) => phases(shoot)[index] === one),
      )
    await annotate('rotating', { 'gardener.cloud/operation': 'rotate-credentials-start' })
    const prepared = await reached('Prepared', 'Prepared', 'Prepared')
    expect(prepared.metadata.annotations).not.toHaveProperty('gardener.cloud/operation')
    await annotate('rotating', { 'gardener.cloud/operation': 'rotate-credentials-complete' })
    const completed = await reached('Completed', 'Completed', 'Completed')
    expect(completed.status?.credentials?.rotation).toMatchObject({
      sshKeypair: { lastCompletionTime: expect.any(String) },
      observability: { lastCompletionTime: expect.any(String) },
    })
  })

  test('is retried after an error, until it is healed', async () => {
    await healthy('erring')
    await garden.gardenlet.fail(at('erring'), {
      codes: ['ERR_INFRA_RESOURCES_DEPLETED'],
      description: 'no machine is left',
    })
    const erring = await seen(client, Shoots, at('erring'), operationIs('Reconcile', 'Error'))
    expect(erring.status?.lastOperation?.description).toBe('no machine is left Operation will be retried.')
    expect(erring.status?.lastErrors).toMatchObject([{ codes: ['ERR_INFRA_RESOURCES_DEPLETED'] }])
    await seen(client, Shoots, at('erring'), operationIs('Reconcile', 'Processing'))
    await seen(client, Shoots, at('erring'), operationIs('Reconcile', 'Error'))
    await garden.gardenlet.heal(at('erring'))
    const healed = await seen(client, Shoots, at('erring'), operationIs('Reconcile', 'Succeeded'))
    expect(healed.status?.lastErrors).toBeUndefined()
  })

  test('is given up for an annotation, and retried when somebody asks for it', async () => {
    await healthy('failing')
    const simulate = 'garden.caelus.io/simulate'
    await annotate('failing', { [simulate]: '{"fail":{"codes":["ERR_INFRA_QUOTA_EXCEEDED"]}}' })
    await seen(client, Shoots, at('failing'), operationIs('Reconcile', 'Failed'))
    await annotate('failing', { [simulate]: null })
    const kept = await client.get(Shoots, at('failing'))
    expect(kept?.status?.lastOperation?.state).toBe('Failed')
    await annotate('failing', { 'gardener.cloud/operation': 'retry' })
    await seen(client, Shoots, at('failing'), operationIs('Reconcile', 'Succeeded'))
  })

  test('is degraded and recovers', async () => {
    await healthy('degraded')
    await garden.gardenlet.degrade(at('degraded'), { type: 'EveryNodeReady', message: 'a node is missing' })
    const degraded = await seen(client, Shoots, at('degraded'), (shoot) => !isHealthy(shoot))
    expect(degraded.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'EveryNodeReady', status: 'False', message: 'a node is missing' }),
    )
    await garden.gardenlet.heal(at('degraded'))
    await seen(client, Shoots, at('degraded'), isHealthy)
  })

  test('has an admin kubeconfig for the control plane behind it', async () => {
    const { metadata } = await healthy('used')
    const expirationSeconds = 600
    const { status } = await client.createSubresource<{ status: { kubeconfig: string } }>(
      Shoots,
      at('used'),
      'adminkubeconfig',
      {
        apiVersion: 'authentication.gardener.cloud/v1alpha1',
        kind: 'AdminKubeconfigRequest',
        metadata: { name: metadata.name },
        spec: { expirationSeconds },
      },
    )
    const file = join(dir, 'used.kubeconfig')
    await writeFile(file, Buffer.from(status.kubeconfig, 'base64'))
    const inside = await clientOf(file)
    await inside.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'inside' } })
    expect(await (await clientOf(behind.kubeconfig)).get(Namespace, { name: 'inside' })).toBeDefined()
    expect(await client.get(Namespace, { name: 'inside' })).toBeUndefined()
  })

  test('is deleted task by task, with what belongs to it', async () => {
    await healthy('ending')
    const access = at('ending.ca-client')
    expect(await client.get(InternalSecret, access)).toBeDefined()
    await expect(client.delete(Shoots, at('ending'))).rejects.toThrow('confirmation.gardener.cloud/deletion')
    await annotate('ending', { 'confirmation.gardener.cloud/deletion': 'true' })
    const { operations } = await watched(
      'ending',
      () => client.delete(Shoots, at('ending')),
      (_, isDeleted) => isDeleted,
    )
    const deletion = operations.filter(({ type }) => type === 'Delete')
    expect([...new Set(deletion.map(({ state }) => state))]).toEqual(['Processing', 'Succeeded'])
    expect(await client.get(Shoots, at('ending'))).toBeUndefined()
    expect(await client.get(InternalSecret, access)).toBeUndefined()
    expect(await client.get(ConfigMap, at('ending.ca-cluster'))).toBeUndefined()
  })

  test('is led without problems', () => {
    expect(problems).toEqual([])
  })
})

describe('stopping', () => {
  test('leaves no process, and starting again finds the objects', async () => {
    const there = await clientOf(other.kubeconfig)
    const made = await projectNamespace(there, 'kept')
    const { pids, kubeconfig } = other
    expect(Object.keys(pids)).toContain('gardener-controller-manager')
    await other.stop()
    expect(Object.values(pids).map(identify)).toEqual(Object.values(pids).map(() => undefined))
    expect(await readdir(other.dir)).not.toContain('state.json')

    other = await startGarden({ dir: other.dir, pace: PACE, endpointOf: () => endpoint })
    expect(other.kubeconfig).toBe(kubeconfig)
    const again = await clientOf(other.kubeconfig)
    expect((await again.get(Projects, { name: 'kept' }))?.spec?.namespace).toBe(made)
  })
})
