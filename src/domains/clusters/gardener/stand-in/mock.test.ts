import { afterEach, expect, test } from 'vitest'
import {
  createEmitter,
  failureOf,
  manualClock,
  seededRandom,
  startAll,
  type ManualClock,
} from '../../../../kernel/index.ts'
import type { Transport, WatchEvents } from '../../../../kube/index.ts'
import { projectFor, wantedShoot, type GardenerSettings } from '../../shoot/wanted.ts'
import type { Cluster } from '../../types.ts'
import { openGardener } from '../client.ts'
import type { FencedWrite } from '../gardener.ts'
import { CredentialsBindings, Projects, Shoots } from '../resources.ts'
import { openMockGarden, type MockGardenOptions } from './mock.ts'
import type { GardenKeep } from './saving.ts'

const settings: GardenerSettings = {
  providerType: 'local',
  cloudProfile: 'local',
  maxShootNameLen: 21,
  networkingType: 'calico',
}

const clusterOf = (id: string): Cluster => ({
  id,
  organizationId: 'org',
  name: id,
  region: 'local',
  kubernetesVersion: '1.34',
  isHibernated: false,
  maintenance: null,
  operation: null,
  nodePools: [{ id: 'p', name: 'default', machineType: 'local', autoscaleMin: 1, autoscaleMax: 3 }],
  createdAt: 0,
  deletedAt: null,
})

const write = (fence = 1): FencedWrite => ({ fence, assertLeased: () => {}, signal: new AbortController().signal })
const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    (error: unknown) => failureOf(error).code,
  )

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close()
})

async function world(options: Partial<MockGardenOptions> = {}, clock: ManualClock = manualClock(1_700_000_000_000)) {
  const emitter = createEmitter<WatchEvents>()
  const random = seededRandom(1)
  const garden = await openMockGarden({ clock, random, emitter, ...options })
  const placed = { ...settings, ...(options.namespace !== undefined && { namespace: options.namespace }) }
  const gardener = openGardener({ mode: 'mock', transport: garden.transport, settings: placed, clock, emitter, random })
  const close = await startAll([...garden.services, gardener.shoots])
  open.push(close)
  const state = (id: string) => {
    const last = gardener.shoots.ofCluster(id)?.status?.lastOperation
    return last === undefined ? 'none' : `${last.type} ${last.state} ${last.progress}`
  }
  return { clock, garden, gardener, close, state, settings: placed }
}

const NAMESPACE = 'garden-fundament'

test('a Shoot lives at the pace that was asked for', async () => {
  const { clock, gardener, state } = await world({ namespace: NAMESPACE, pace: { stepMs: 1_000, steps: 4 } })
  await gardener.apply(wantedShoot(clusterOf('c1'), { ...settings, namespace: NAMESPACE }, NAMESPACE), write())
  await clock.advance(0)
  const seen = [state('c1')]
  for (let second = 0; second < 6; second++) {
    await clock.advance(1_000)
    seen.push(state('c1'))
  }
  expect(seen).toEqual([
    'Create Pending 0',
    'Create Processing 0',
    'Create Processing 25',
    'Create Processing 50',
    'Create Processing 75',
    'Create Succeeded 100',
    'Create Succeeded 100',
  ])
})

test('a quiet garden sees no writes', async () => {
  const { clock, garden, gardener, state } = await world({ namespace: NAMESPACE, pace: { stepMs: 10, steps: 4 } })
  await gardener.apply(wantedShoot(clusterOf('c1'), { ...settings, namespace: NAMESPACE }, NAMESPACE), write())
  await clock.advance(10_000)
  expect(state('c1')).toBe('Create Succeeded 100')
  const version = async () => (await garden.operator.list(Shoots))[0]?.metadata.resourceVersion
  const before = await version()
  await clock.advance(3_600_000)
  expect(await version()).toBe(before)
})

test('the namespace of a project comes after its delay', async () => {
  const { clock, gardener } = await world({ namespaceAfterMs: 5_000 })
  const project = { name: projectFor('org', settings), organizationId: 'org' }
  expect(await gardener.ensureProject(project, write())).toBeUndefined()
  await clock.advance(4_000)
  expect(await gardener.ensureProject(project, write())).toBeUndefined()
  await clock.advance(1_000)
  expect(await gardener.ensureProject(project, write())).toBe(`garden-${project.name}`)
})

test('the namespace of a project is asked for again when it is gone', async () => {
  const { clock, garden, gardener } = await world({ namespaceAfterMs: 10 })
  const project = { name: projectFor('org', settings), organizationId: 'org' }
  await gardener.ensureProject(project, write())
  await clock.advance(10)
  const namespace = (await gardener.ensureProject(project, write())) ?? ''
  await garden.operator.delete(Projects, { name: project.name })
  await clock.advance(10)
  expect(await gardener.ensureProject(project, write())).toBe(namespace)
  expect(await code(gardener.apply(wantedShoot(clusterOf('c1'), settings, namespace), write()))).toBe(
    'NamespacePending',
  )
  expect(await gardener.ensureProject(project, write())).toBeUndefined()
})

test('a binding that somebody removed from a project is copied again', async () => {
  const { clock, garden } = await world({ namespaceAfterMs: 10 })
  const bound = { ...settings, credentialsBindingName: 'local', credentialsFrom: 'garden' }
  const emitter = createEmitter<WatchEvents>()
  const gardener = openGardener({ mode: 'mock', transport: garden.transport, settings: bound, clock, emitter })
  const project = { name: projectFor('org', bound), organizationId: 'org' }
  await gardener.ensureProject(project, write())
  await clock.advance(10)
  const namespace = (await gardener.ensureProject(project, write())) ?? ''
  await garden.operator.delete(CredentialsBindings, { namespace, name: 'local' })
  const draft = wantedShoot(clusterOf('c1'), bound, namespace)
  expect(await code(gardener.apply(draft, write()))).toBe('GardenerMisconfigured')
  expect(await gardener.ensureProject(project, write())).toBe(namespace)
  expect(await code(gardener.apply(draft, write()))).toBe('ok')
})

test('a restart keeps Shoots and goes on with their life', async () => {
  let kept: string | undefined
  let saves = 0
  const keep: GardenKeep = {
    load: async () => kept,
    save: async (text) => {
      kept = text
      saves += 1
    },
  }
  const pace = { stepMs: 1_000, steps: 4 }
  const first = await world({ namespace: NAMESPACE, pace, keep })
  const draft = wantedShoot(clusterOf('c1'), { ...settings, namespace: NAMESPACE }, NAMESPACE)
  const { metadata } = await first.gardener.apply(draft, write(7))
  await first.clock.advance(2_000)
  expect(first.state('c1')).toBe('Create Processing 25')
  expect(saves).toBeLessThanOrEqual(3)
  await first.close()

  const second = await world({ namespace: NAMESPACE, pace, keep }, first.clock)
  expect(second.gardener.shoots.ofCluster('c1')?.metadata.uid).toBe(metadata.uid)
  expect(await code(second.gardener.apply(draft, write(6)))).toBe('ClusterStaleFence')
  await second.clock.advance(5_000)
  expect(second.state('c1')).toBe('Create Succeeded 100')
})

test('an injected error is answered once', async () => {
  const { garden, gardener } = await world({ namespace: NAMESPACE })
  const draft = wantedShoot(clusterOf('c1'), { ...settings, namespace: NAMESPACE }, NAMESPACE)
  garden.failNext('patch', {
    status: 403,
    reason: 'Forbidden',
    message: 'shoots "x" is forbidden: quota limits exceeded',
  })
  expect(await code(gardener.apply(draft, write()))).toBe('InfrastructureQuota')
  expect(await code(gardener.apply(draft, write()))).toBe('ok')
})

test('what was written is shown before the watch delivers it', async () => {
  const { garden, clock, settings: placed } = await world({ namespace: NAMESPACE })
  let isHeld = false
  const held = Promise.withResolvers<void>()
  const transport: Transport = {
    ...garden.transport,
    async *stream(request) {
      for await (const line of garden.transport.stream(request)) {
        if (isHeld) await held.promise
        yield line
      }
    },
  }
  const emitter = createEmitter<WatchEvents>()
  const gardener = openGardener({ mode: 'mock', transport, settings: placed, clock, emitter })
  open.push(await startAll([gardener.shoots]))
  isHeld = true
  const created = await gardener.apply(wantedShoot(clusterOf('c1'), placed, NAMESPACE), write())
  expect(gardener.shoots.ofCluster('c1')?.metadata.uid).toBe(created.metadata.uid)
  held.resolve()
})

test('a garden that is down is unreachable, and is watched again when it is up', async () => {
  const { clock, garden, gardener, state } = await world({ namespace: NAMESPACE, pace: { stepMs: 10, steps: 4 } })
  const draft = wantedShoot(clusterOf('c1'), { ...settings, namespace: NAMESPACE }, NAMESPACE)
  await gardener.apply(draft, write())
  expect(gardener.shoots.isCurrent).toBe(true)
  garden.down()
  await clock.advance(0)
  expect(gardener.shoots.isCurrent).toBe(false)
  expect(await code(gardener.ping(write().signal))).toBe('GardenerUnreachable')
  expect(await code(gardener.apply(draft, write()))).toBe('GardenerUnreachable')
  await clock.advance(1_000)
  garden.up()
  await clock.advance(60_000)
  expect(await code(gardener.ping(write().signal))).toBe('ok')
  expect(gardener.shoots.isCurrent).toBe(true)
  expect(state('c1')).toBe('Create Succeeded 100')
})
