import { describe, expect, test } from 'vitest'
import type { Shoot, ShootDraft, ShootSpec } from '../gardener/shoot.ts'
import type { Cluster } from '../types.ts'
import { driftOf, driftText } from './drift.ts'
import { wantedShoot, withCompleted, type GardenerSettings } from './wanted.ts'

const cluster: Cluster = {
  id: '0190aaaa-0000-7000-8000-0000000000c1',
  organizationId: '0190aaaa-0000-7000-8000-000000000001',
  name: 'my-cluster',
  region: 'local',
  kubernetesVersion: '1.34',
  isHibernated: false,
  maintenance: null,
  operation: null,
  nodePools: [{ id: 'p1', name: 'default', machineType: 'local', autoscaleMin: 1, autoscaleMax: 3 }],
  createdAt: 0,
  deletedAt: null,
}

const settings: GardenerSettings = {
  providerType: 'local',
  cloudProfile: 'local',
  credentialsBindingName: 'local',
  maxShootNameLen: 21,
  networkingType: 'calico',
  nodesCidr: '10.0.0.0/16',
}

const wanted = (change: Partial<Cluster> = {}): ShootDraft =>
  wantedShoot({ ...cluster, ...change }, settings, 'garden-org')

/** As the server returns it: completed and with its own defaults. */
function live(change: (spec: ShootSpec) => ShootSpec = (spec) => spec): Shoot {
  const draft = wanted()
  const completed: ShootSpec = {
    ...draft.spec,
    kubernetes: { version: '1.34.3' },
    purpose: 'evaluation',
    maintenance: {
      autoUpdate: { kubernetesVersion: true, machineImageVersion: true },
      timeWindow: { begin: '220000+0000', end: '230000+0000' },
    },
    provider: {
      ...draft.spec.provider,
      workers: (draft.spec.provider.workers ?? []).map((worker) => ({
        ...worker,
        machine: { ...worker.machine, image: { name: 'local', version: '1.0.0' } },
      })),
    },
  }
  return {
    ...draft,
    metadata: {
      ...draft.metadata,
      uid: 'u',
      annotations: { ...draft.metadata.annotations, 'gardener.cloud/created-by': 'admin' },
    },
    spec: change(completed),
  }
}

const workers = (spec: ShootSpec) => spec.provider.workers ?? []
const withWorkers = (spec: ShootSpec, list: ShootSpec['provider']['workers']): ShootSpec => ({
  ...spec,
  provider: { ...spec.provider, ...(list !== undefined && { workers: list }) },
})

describe('wantedShoot', () => {
  test('is what the original writes', () => {
    expect(wanted()).toEqual({
      apiVersion: 'core.gardener.cloud/v1beta1',
      kind: 'Shoot',
      metadata: {
        name: expect.stringMatching(/^c[a-z0-9]{10}$/) as unknown,
        namespace: 'garden-org',
        labels: {
          'fundament.io/cluster-id': cluster.id,
          'fundament.io/organization-id': cluster.organizationId,
        },
        annotations: { 'fundament.io/cluster-name': 'my-cluster' },
      },
      spec: {
        cloudProfile: { kind: 'CloudProfile', name: 'local' },
        region: 'local',
        credentialsBindingName: 'local',
        kubernetes: { version: '1.34' },
        networking: { type: 'calico', nodes: '10.0.0.0/16' },
        hibernation: { enabled: false },
        provider: {
          type: 'local',
          workers: [
            { name: 'default', machine: { type: 'local' }, minimum: 1, maximum: 3, maxSurge: 1, maxUnavailable: 0 },
          ],
        },
      },
    })
  })

  test('states maintenance and machine image only where they are set', () => {
    const maintenance = { begin: '010000+0100', end: '020000+0100', updateKubernetes: false, updateMachineImage: true }
    const { spec } = wantedShoot(
      { ...cluster, maintenance },
      { ...settings, machineImage: { name: 'local', version: '1.0.0' } },
      'garden-org',
    )
    expect(spec.maintenance).toEqual({
      autoUpdate: { kubernetesVersion: false, machineImageVersion: true },
      timeWindow: { begin: '010000+0100', end: '020000+0100' },
    })
    expect(workers(spec)[0]?.machine).toEqual({ type: 'local', image: { name: 'local', version: '1.0.0' } })
  })
})

describe('withCompleted', () => {
  test('keeps the network that a cluster was made with when the settings have changed', () => {
    const changed = { ...settings, networkingType: 'cilium', nodesCidr: '10.9.0.0/16' }
    const draft = wantedShoot(cluster, changed, 'garden-org')
    expect(withCompleted(draft, live()).spec.networking).toEqual({ type: 'calico', nodes: '10.0.0.0/16' })
    expect(driftOf(draft, live())).toEqual([])
    expect(withCompleted(draft, undefined).spec.networking).toEqual({ type: 'cilium', nodes: '10.9.0.0/16' })
  })

  test('keeps provider and CloudProfile when the settings have changed', () => {
    const draft = wantedShoot(cluster, { ...settings, cloudProfile: 'other', providerType: 'other' }, 'garden-org')
    expect(driftOf(draft, live())).toEqual([])
    expect(withCompleted(draft, undefined).spec.cloudProfile?.name).toBe('other')
  })

  test.each<[string, { order?: Partial<Cluster>; image: object; then: object }]>([
    ['is changed', { image: { name: 'local', version: '2.0.0' }, then: { name: 'local', version: '1.0.0' } }],
    ['names another image', { image: { name: 'gardenlinux' }, then: { name: 'local', version: '1.0.0' } }],
    [
      'is changed, and the machine type as well',
      {
        order: pooled('large'),
        image: { name: 'gardenlinux', version: '9' },
        then: { name: 'gardenlinux', version: '9' },
      },
    ],
    [
      'is changed, and a minor version of Kubernetes was ordered',
      {
        order: { kubernetesVersion: '1.35' },
        image: { name: 'local', version: '2.0.0' },
        then: { name: 'local', version: '2.0.0' },
      },
    ],
    [
      'is changed, and a patch version of Kubernetes was ordered',
      {
        order: { kubernetesVersion: '1.34.5' },
        image: { name: 'local', version: '2.0.0' },
        then: { name: 'local', version: '1.0.0' },
      },
    ],
  ])('of nodes that are there, when the setting of the image %s', (_, { order = {}, image, then }) => {
    const changed = { ...settings, machineImage: image as NonNullable<GardenerSettings['machineImage']> }
    const draft = wantedShoot({ ...cluster, ...order }, changed, 'garden-org')
    expect(workers(withCompleted(draft, live()).spec)[0]?.machine.image).toEqual(then)
    if (Object.keys(order).length === 0) expect(driftOf(draft, live())).toEqual([])
  })

  test('a new node pool has the image of the settings', () => {
    const machineImage = { name: 'local', version: '2.0.0' }
    const draft = wantedShoot({ ...cluster, ...twoPools() }, { ...settings, machineImage }, 'garden-org')
    const images = workers(withCompleted(draft, live()).spec).map(({ machine }) => machine.image?.version)
    expect(images).toEqual(['1.0.0', '2.0.0'])
  })

  test.each([
    ['1.34', '1.34.3', '1.34.3'],
    ['1.34.1', '1.34.3', '1.34.3'],
    ['1.34', '1.35.0', '1.35.0'],
    ['1.34.10', '1.34.9', '1.34.10'],
    ['1.35', '1.34.3', '1.35'],
  ])('an order of %s on a cluster with %s asks for %s', (kubernetesVersion, present, asked) => {
    const there = live((spec) => ({ ...spec, kubernetes: { version: present } }))
    expect(withCompleted(wanted({ kubernetesVersion }), there).spec.kubernetes.version).toBe(asked)
  })

  test('keeps a machine image that maintenance has raised', () => {
    const draft = wantedShoot(cluster, { ...settings, machineImage: { name: 'local', version: '1.0.0' } }, 'garden-org')
    const there = live((spec) =>
      withWorkers(
        spec,
        workers(spec).map((worker) => ({
          ...worker,
          machine: { ...worker.machine, image: { name: 'local', version: '1.2.0' } },
        })),
      ),
    )
    expect(workers(withCompleted(draft, there).spec)[0]?.machine.image?.version).toBe('1.2.0')
    expect(driftOf(draft, there)).toEqual([])
  })
})

describe('driftOf', () => {
  const drift = (order: Partial<Cluster>, there: Shoot): string[] => driftOf(wanted(order), there).map(driftText)

  test.each<[string, Partial<Cluster>, Shoot, string[]]>([
    ['what the server completes', {}, live(), []],
    [
      'the order of fields and workers',
      twoPools(),
      live((spec) => withWorkers(spec, twoWorkers(spec).toReversed())),
      [],
    ],
    [
      'a newer minor that was ordered',
      { kubernetesVersion: '1.35' },
      live(),
      ['spec.kubernetes.version: 1.34.3 → 1.35'],
    ],
    ['an older version that was ordered', { kubernetesVersion: '1.33' }, live(), []],
    [
      'a field of a worker',
      {},
      live((spec) =>
        withWorkers(
          spec,
          workers(spec).map((worker) => ({ ...worker, maximum: 9 })),
        ),
      ),
      ['spec.provider.workers[name=default].maximum: 9 → 3'],
    ],
    [
      'a worker that somebody added',
      {},
      live((spec) =>
        withWorkers(spec, [...workers(spec), { name: 'more', machine: { type: 'local' }, minimum: 1, maximum: 1 }]),
      ),
      ['spec.provider.workers[name=more]: {"name":"more","machine":{"type":"local"},"minimum":1,"maximum":1} → none'],
    ],
    [
      'a worker that is missing',
      twoPools(),
      live(),
      [
        'spec.provider.workers[name=gpu]: none → {"name":"gpu","machine":{"type":"local"},"minimum":0,"maximum":2,"maxSurge":1,"maxUnavailable":0}',
      ],
    ],
    ['hibernation', { isHibernated: true }, live(), ['spec.hibernation.enabled: false → true']],
    ['hibernation that was never set', {}, live((spec) => ({ ...spec, hibernation: {} })), []],
    [
      'the name of the cluster',
      { name: 'renamed' },
      live(),
      ['metadata.annotations["fundament.io/cluster-name"]: my-cluster → renamed'],
    ],
  ])('of %s', (_, order, there, expected) => {
    expect(drift(order, there)).toEqual(expected)
  })
})

function pooled(machineType: string): Partial<Cluster> {
  return { nodePools: cluster.nodePools.map((pool) => ({ ...pool, machineType })) }
}

function twoPools(): Partial<Cluster> {
  return {
    nodePools: [
      ...cluster.nodePools,
      { id: 'p2', name: 'gpu', machineType: 'local', autoscaleMin: 0, autoscaleMax: 2 },
    ],
  }
}

const twoWorkers = (spec: ShootSpec) => [
  ...workers(spec),
  { name: 'gpu', machine: { type: 'local' }, minimum: 0, maximum: 2, maxSurge: 1, maxUnavailable: 0 },
]
