import { afterEach, describe, expect, it, test } from 'vitest'
import {
  createEmitter,
  decisionLog,
  keyText,
  manualClock,
  replay,
  seededRandom,
  startAll,
  type DecisionRecord,
  type KernelEvents,
} from '../../kernel/index.ts'
import type { KubeRequest, Transport, WatchEvents } from '../../kube/index.ts'
import { FakePostgresQueue } from '../../store/fake/index.ts'
import type { ClustersEvents } from './events.ts'
import { fakeClusters } from './fake/rows.ts'
import { openGardener } from './gardener/client.ts'
import type { Gardener } from './gardener/gardener.ts'
import { Shoots } from './gardener/resources.ts'
import { CLUSTER_ID, FENCE, GARDENER_OPERATION, OPERATION_ID, type Shoot } from './gardener/shoot.ts'
import { openMockGarden } from './gardener/stand-in/mock.ts'
import { replays } from './replay.ts'
import type { ClusterRows } from './rows.ts'
import { projectOfNamespace, shootName } from './shoot/names.ts'
import type { GardenerSettings } from './shoot/wanted.ts'
import type { ShootStatus } from './types.ts'
import { clustersWorker } from './worker.ts'

const LEASE_MS = 10_000
const MINUTE = 60_000
const START = Date.parse('2026-01-01T00:00:00Z')

const SETTINGS: GardenerSettings = {
  providerType: 'local',
  cloudProfile: 'local',
  maxShootNameLen: 21,
  networkingType: 'calico',
}

const ends: (() => void)[] = []
afterEach(() => ends.splice(0).forEach((end) => end()))

interface WorkerOptions {
  readonly name?: string
  /** Changes what the worker is given. */
  readonly gardener?: (gardener: Gardener) => Gardener
  readonly rows?: (rows: ClusterRows) => ClusterRows
  readonly passMs?: number
  readonly statusPollMs?: number
}

/** A garden, a table and a queue in memory; any number of workers on a clock that the test moves. */
async function stage(settings: Partial<GardenerSettings> = {}) {
  const clock = manualClock(START)
  const garden = await openMockGarden({
    clock,
    random: seededRandom(1),
    emitter: createEmitter<WatchEvents>(),
    pace: { stepMs: 500, steps: 4, retryMs: 5_000 },
    ...(settings.namespace !== undefined && { namespace: settings.namespace }),
  })
  const queue = new FakePostgresQueue({ clock, leaseMs: LEASE_MS })
  const accepted: string[] = []
  const clusters = fakeClusters({ queue, clock, onWrite: (id, fence) => void accepted.push(`${id} under ${fence}`) })
  const told: [keyof ClustersEvents, unknown][] = []
  const records: DecisionRecord[] = []
  const requests: KubeRequest[] = []
  const runs: string[] = []

  /** Lets time pass until it is so, at most for `ms`. */
  const until = async (isSo: () => boolean, ms = 5 * MINUTE): Promise<void> => {
    const end = clock.now() + ms
    while (!isSo() && clock.now() < end) await clock.advance(50)
    expect(isSo(), 'what was waited for has not happened').toBe(true)
  }
  const settle = async <T>(promise: Promise<T>): Promise<T> => {
    let isDone = false
    promise.then(
      () => (isDone = true),
      () => (isDone = true),
    )
    await until(() => isDone)
    return promise
  }

  const work = async ({ name = 'worker', passMs = 5 * MINUTE, statusPollMs = 2_000, ...wrap }: WorkerOptions = {}) => {
    const emitter = createEmitter<KernelEvents & WatchEvents & ClustersEvents>()
    const events = [
      'clusters:step',
      'clusters:scanned',
      'clusters:orphansKept',
      'clusters:orphanRemoved',
      'clusters:orphanRetried',
    ] as const
    for (const event of events) emitter.on(event, (what) => void told.push([event, what]))
    emitter.on('reconcile:start', ({ key }) => void runs.push(keyText(key)))
    const decisions = decisionLog()
    decisions.onAdd((made) => void records.push(JSON.parse(JSON.stringify(made)) as DecisionRecord))
    const counted: Transport = {
      ...garden.transport,
      send(request) {
        requests.push(request)
        return garden.transport.send(request)
      },
    }
    const given = { ...SETTINGS, ...settings }
    const gardener = openGardener({ mode: 'mock', transport: counted, settings: given, clock, emitter })
    const services = clustersWorker({
      gardener: wrap.gardener?.(gardener) ?? gardener,
      settings: given,
      queue,
      rows: wrap.rows?.(clusters.rows) ?? clusters.rows,
      clock,
      random: () => 0.5,
      emitter,
      decisions,
      instance: name,
      passMs,
      pollMs: 1_000,
      statusPollMs,
    })
    const stop = await settle(startAll(services))
    ends.push(() => void stop())
    return { stop: () => settle(stop()), gardener }
  }
  const stopGarden = await settle(startAll(garden.services))
  ends.push(() => void stopGarden())

  const statusOf = (id: string): ShootStatus | undefined => clusters.get(id)?.sync.status
  const shoots = async (): Promise<readonly Shoot[]> => settle(garden.operator.list(Shoots, {}))
  return {
    clock,
    garden,
    queue,
    clusters,
    accepted,
    told,
    records,
    requests,
    runs,
    until,
    settle,
    work,
    shoots,
    statusOf,
    untilStatus: (id: string, status: ShootStatus, ms?: number) => until(() => statusOf(id) === status, ms),
    shootOf: async (id: string): Promise<Shoot | undefined> =>
      (await shoots()).find(({ metadata }) => metadata.labels?.[CLUSTER_ID] === id),
    historyOf: (id: string): string[] => (clusters.get(id)?.events ?? []).map(({ type }) => type),
  }
}

const at = ({ metadata }: Shoot) => ({ namespace: metadata.namespace ?? '', name: metadata.name })

describe('a cluster', () => {
  it('is created, changed and deleted, and its history tells so', async () => {
    const { clusters, work, untilStatus, shootOf, historyOf, statusOf, records } = await stage()
    await work()
    await clusters.order({ id: 'a', kubernetesVersion: '1.34' })
    await untilStatus('a', 'ready')
    expect(clusters.get('a')?.sync).toMatchObject({ generation: 1, syncedGeneration: 1, failure: null, attempts: 0 })
    expect((await shootOf('a'))?.spec.kubernetes.version).toBe('1.34.3')
    await clusters.change('a', { kubernetesVersion: '1.35.4' })
    await untilStatus('a', 'progressing')
    await untilStatus('a', 'ready')
    expect((await shootOf('a'))?.spec.kubernetes.version).toBe('1.35.4')
    expect(clusters.get('a')?.sync).toMatchObject({ generation: 2, syncedGeneration: 2 })
    await clusters.remove('a')
    await untilStatus('a', 'deleted')
    expect(await shootOf('a')).toBeUndefined()
    expect(statusOf('a')).toBe('deleted')
    expect(historyOf('a')).toEqual([
      'sync_requested',
      'sync_claimed',
      'sync_succeeded',
      'status_progressing',
      'status_ready',
      'sync_requested',
      'sync_claimed',
      'sync_succeeded',
      'status_progressing',
      'status_ready',
      'sync_requested',
      'sync_claimed',
      'sync_succeeded',
      'status_deleting',
      'status_deleted',
    ])
    expect(records.length).toBeGreaterThan(5)
    expect(records.map((record) => replay(record, replays))).toEqual(records.map(() => ({ is: 'same' })))
  })

  it('lives in a fixed namespace where there is one', async () => {
    const { clusters, work, untilStatus, shootOf } = await stage({ namespace: 'garden-fundament' })
    await work()
    await clusters.order({ id: 'a' })
    await untilStatus('a', 'ready')
    expect((await shootOf('a'))?.metadata.namespace).toBe('garden-fundament')
  })

  it('that waits for the namespace of its project has made no attempt', async () => {
    const { clusters, work, untilStatus, until, historyOf } = await stage()
    await work()
    await clusters.order({ id: 'a' })
    await until(() => clusters.get('a')?.sync.statusMessage?.startsWith('Gardener makes the namespace') === true, 900)
    expect(clusters.get('a')?.sync).toMatchObject({ status: 'pending', attempts: 0, failure: null })
    await untilStatus('a', 'ready')
    expect(historyOf('a')).not.toContain('sync_failed')
  })

  it('that is refused is tried again after 30 s, then 60 s, and recovers', async () => {
    const { clock, clusters, garden, work, until, untilStatus, historyOf } = await stage()
    await work()
    const error = { status: 403, reason: 'Forbidden', message: 'shoots.core.gardener.cloud is forbidden: no' }
    garden.failNext('patch', error)
    garden.failNext('patch', error)
    await clusters.order({ id: 'a' })
    await until(() => clusters.get('a')?.sync.attempts === 1)
    expect(clusters.get('a')?.sync).toMatchObject({ status: 'pending', statusMessage: 'its Shoot is not created yet' })
    const first = clock.now()
    await until(() => clusters.get('a')?.sync.attempts === 2)
    expect(clock.now() - first).toBeGreaterThanOrEqual(29_000)
    expect(clock.now() - first).toBeLessThan(33_000)
    const second = clock.now()
    await until(() => clusters.get('a')?.sync.syncedGeneration === 1)
    expect(clock.now() - second).toBeGreaterThanOrEqual(58_000)
    expect(clock.now() - second).toBeLessThan(64_000)
    await untilStatus('a', 'ready')
    expect(clusters.get('a')?.sync).toMatchObject({ attempts: 0, failure: null })
    expect(historyOf('a').filter((type) => type === 'sync_failed')).toHaveLength(2)
  })

  it('that is changed during a sync is synced again, and nobody waits for that', async () => {
    const { clusters, work, until, untilStatus, shootOf } = await stage()
    const held = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    let isFirst = true
    await work({
      gardener: (gardener) => ({
        ...gardener,
        async apply(draft, write) {
          const applied = await gardener.apply(draft, write)
          if (isFirst) {
            isFirst = false
            reached.resolve()
            await held.promise
          }
          return applied
        },
      }),
    })
    await clusters.order({ id: 'a' })
    let isReached = false
    void reached.promise.then(() => (isReached = true))
    await until(() => isReached)
    await clusters.change('a', { kubernetesVersion: '1.35.4' })
    expect(clusters.get('a')?.sync).toMatchObject({ generation: 2, syncedGeneration: 0, syncedAt: null })
    held.resolve()
    await until(() => clusters.get('a')?.sync.syncedGeneration === 2)
    await untilStatus('a', 'ready')
    expect((await shootOf('a'))?.spec.kubernetes.version).toBe('1.35.4')
    const claims = clusters.get('a')?.events.filter(({ type }) => type === 'sync_claimed') ?? []
    expect(claims.map(({ message }) => message)).toEqual([
      'its Shoot is being created',
      'the change is being written to its Shoot',
    ])
  })

  it('whose row is gone before the first sync is nothing to do', async () => {
    const { clusters, work, clock, shoots, told } = await stage()
    await clusters.order({ id: 'a' })
    await clusters.drop('a')
    await work()
    await clock.advance(MINUTE)
    expect(await shoots()).toEqual([])
    expect(told.filter(([event]) => event === 'clusters:step')).toEqual([])
  })

  it('that is deleted before the first sync never gets a Shoot', async () => {
    const { clusters, work, untilStatus, shoots } = await stage()
    await clusters.order({ id: 'a' })
    await clusters.remove('a')
    await work()
    await untilStatus('a', 'deleted')
    expect(await shoots()).toEqual([])
    expect(clusters.get('a')?.sync).toMatchObject({ syncedGeneration: 2, generation: 2 })
  })

  it('that is deleted and ordered again under its name gets a Shoot of its own', async () => {
    const { clusters, work, untilStatus, shoots, shootOf } = await stage()
    await work()
    await clusters.order({ id: 'a', name: 'one' })
    await untilStatus('a', 'ready')
    const first = await shootOf('a')
    await clusters.remove('a')
    await clusters.order({ id: 'b', name: 'one' })
    await untilStatus('b', 'ready')
    await untilStatus('a', 'deleted')
    expect((await shoots()).map(({ metadata }) => metadata.labels?.[CLUSTER_ID])).toEqual(['b'])
    expect((await shootOf('b'))?.metadata.name).not.toBe(first?.metadata.name)
  })

  it('that is deleted takes its Shoot along, also if somebody has removed the label from that', async () => {
    const { clusters, garden, work, untilStatus, shootOf, shoots, settle } = await stage()
    const { stop } = await work()
    await clusters.order({ id: 'a' })
    await untilStatus('a', 'ready')
    const shoot = (await shootOf('a')) ?? expect.fail('there is no Shoot')
    await stop()
    await settle(garden.operator.patch(Shoots, at(shoot), { merge: { metadata: { labels: { [CLUSTER_ID]: null } } } }))
    await clusters.remove('a')
    await work()
    // The watch does not tell of it any more: the next pass does.
    await untilStatus('a', 'deleted', 10 * MINUTE)
    expect(await shoots()).toEqual([])
  })

  it('is made anew when somebody deletes its Shoot', async () => {
    const { clusters, garden, work, until, untilStatus, shootOf, settle } = await stage()
    await work()
    await clusters.order({ id: 'a' })
    await untilStatus('a', 'ready')
    const first = await shootOf('a')
    const confirm = { merge: { metadata: { annotations: { 'confirmation.gardener.cloud/deletion': 'true' } } } }
    await settle(garden.operator.patch(Shoots, at(first!), confirm))
    await settle(garden.operator.delete(Shoots, at(first!)))
    await until(() => clusters.get('a')?.sync.failure?.code === 'ShootTerminating')
    await untilStatus('a', 'ready')
    expect((await shootOf('a'))?.metadata.uid).not.toBe(first?.metadata.uid)
    expect(clusters.get('a')?.sync.failure).toBeNull()
  })

  it('that is deleted waits for the apps in it, also when the watch does not show its Shoot', async () => {
    const { clock, clusters, work, untilStatus, shootOf } = await stage()
    const first = await work()
    await clusters.order({ id: 'a' })
    await untilStatus('a', 'ready')
    await first.stop()
    await work({
      rows: (rows) => ({
        ...rows,
        async load(id) {
          const loaded = await rows.load(id)
          return loaded && { ...loaded, appsLeft: 2 }
        },
      }),
      gardener: (gardener) => ({
        ...gardener,
        shoots: Object.create(gardener.shoots, { ofCluster: { value: () => undefined } }) as Gardener['shoots'],
      }),
    })
    // An operation that is dropped writes the row before the server is asked for the Shoot.
    await clusters.change('a', { operation: { id: 'op1', kind: 'retry', requestedAt: 0 }, deletedAt: clock.now() })
    await clock.advance(MINUTE)
    const shoot = await shootOf('a')
    expect([shoot === undefined, shoot?.metadata.deletionTimestamp]).toEqual([false, undefined])
    expect(clusters.get('a')?.sync).toMatchObject({
      closedOperation: 'op1',
      statusMessage: '2 apps in it are removed first',
    })
  })

  it('gets back its Shoot when the label was edited to the id of another cluster, which is left alone', async () => {
    const { clock, clusters, garden, work, untilStatus, shoots, settle } = await stage()
    const first = await work()
    await clusters.order({ id: 'a' })
    await untilStatus('a', 'ready')
    await clock.advance(2_000)
    await clusters.order({ id: 'b', kubernetesVersion: '1.35.4' })
    await untilStatus('b', 'ready')
    const before = await shoots()
    const place = at(before.find(({ metadata }) => metadata.labels?.[CLUSTER_ID] === 'a')!)
    const relabel = (id: string) =>
      settle(garden.operator.patch(Shoots, place, { merge: { metadata: { labels: { [CLUSTER_ID]: id } } } }))
    const state = (all: readonly Shoot[]) =>
      all
        .map(({ metadata, spec }) => `${metadata.uid} ${metadata.labels?.[CLUSTER_ID]} ${spec.kubernetes.version}`)
        .toSorted()
    const history = (id: string) => clusters.get(id)?.events.length
    const ofB = history('b')
    await relabel('b')
    await clock.advance(10 * MINUTE)
    expect(state(await shoots())).toEqual(state(before))
    expect(history('b')).toBe(ofB)
    // Also while no worker ran, and with an id that no cluster has.
    await first.stop()
    await relabel('nobody')
    await clock.advance(30 * MINUTE)
    await work()
    await clock.advance(10 * MINUTE)
    expect(state(await shoots())).toEqual(state(before))
  })

  it('gets back what somebody changed in it', async () => {
    const { clusters, garden, work, until, untilStatus, shootOf, settle, historyOf } = await stage()
    await work()
    await clusters.order({ id: 'a' })
    await untilStatus('a', 'ready')
    const shoot = await shootOf('a')
    const before = historyOf('a').length
    await settle(garden.operator.patch(Shoots, at(shoot!), { merge: { spec: { hibernation: { enabled: true } } } }))
    await until(() => historyOf('a').slice(before).includes('sync_succeeded'))
    expect((await shootOf('a'))?.spec.hibernation?.enabled).toBe(false)
    await untilStatus('a', 'ready')
  })

  it('that degrades after it was ready is seen, and heals', async () => {
    const { clusters, garden, work, untilStatus, shootOf, settle, historyOf } = await stage()
    await work()
    await clusters.order({ id: 'a' })
    await untilStatus('a', 'ready')
    const shoot = await shootOf('a')
    await settle(garden.gardenlet.degrade(at(shoot!), { type: 'ControlPlaneHealthy', message: 'etcd is away' }))
    await untilStatus('a', 'error', 10_000)
    expect(clusters.get('a')?.sync.statusFailure).toMatchObject({ code: 'ShootDegraded' })
    await settle(garden.gardenlet.heal(at(shoot!)))
    await untilStatus('a', 'ready', 10_000)
    expect(historyOf('a').slice(-2)).toEqual(['status_error', 'status_ready'])
  })

  it('that is hibernated is ready, and again when it is awake', async () => {
    const { clusters, work, untilStatus, shootOf } = await stage()
    await work()
    await clusters.order({ id: 'a' })
    await untilStatus('a', 'ready')
    await clusters.change('a', { isHibernated: true })
    await untilStatus('a', 'progressing')
    await untilStatus('a', 'ready')
    expect(clusters.get('a')?.sync).toMatchObject({ statusMessage: 'it is hibernated', shoot: { isHibernated: true } })
    await clusters.change('a', { isHibernated: false })
    await untilStatus('a', 'progressing')
    await untilStatus('a', 'ready')
    expect((await shootOf('a'))?.status?.hibernated).toBe(false)
  })
})

describe('what Gardener gave up', () => {
  const failing = async (codes: readonly string[]) => {
    const all = await stage()
    const { clusters, garden, work, untilStatus, shootOf, settle } = all
    await work()
    await clusters.order({ id: 'a' })
    await untilStatus('a', 'ready')
    const shoot = await shootOf('a')
    await settle(garden.gardenlet.fail(at(shoot!), { state: 'Failed', description: 'it broke', codes }))
    await clusters.change('a', { kubernetesVersion: '1.35.4' })
    await untilStatus('a', 'error')
    return { ...all, place: at(shoot!) }
  }

  it('is tried again after a minute, then after two, and the count ends with a success', async () => {
    const { clock, clusters, garden, until, untilStatus, settle, place } = await failing([
      'ERR_INFRA_RATE_LIMITS_EXCEEDED',
    ])
    expect(clusters.get('a')?.sync.statusFailure).toMatchObject({ code: 'InfrastructureBusy', whoseMove: 'platform' })
    const failed = clock.now()
    await until(() => clusters.get('a')?.sync.retries === 1)
    expect(clock.now() - failed).toBeGreaterThan(55_000)
    expect(clock.now() - failed).toBeLessThan(65_000)
    await untilStatus('a', 'error')
    const again = clock.now()
    await settle(garden.gardenlet.heal(place))
    await until(() => clusters.get('a')?.sync.retries === 2)
    expect(clock.now() - again).toBeGreaterThan(115_000)
    await untilStatus('a', 'ready')
    expect(clusters.get('a')?.sync.retries).toBe(0)
  })

  it('is left to a person where one has to remove the cause, who then asks for another try', async () => {
    const { clock, clusters, garden, until, untilStatus, settle, place, shootOf } = await failing([
      'ERR_INFRA_UNAUTHORIZED',
    ])
    await clock.advance(2 * 60 * MINUTE)
    expect(clusters.get('a')?.sync).toMatchObject({ status: 'error', retries: 0 })
    await settle(garden.gardenlet.heal(place))
    await clusters.change('a', { operation: { id: 'op1', kind: 'retry', requestedAt: clock.now() } })
    await until(() => clusters.get('a')?.sync.status !== 'error')
    await untilStatus('a', 'ready')
    expect((await shootOf('a'))?.metadata.annotations?.[OPERATION_ID]).toBe('op1')
    expect(clusters.get('a')?.sync.closedOperation).toBe('op1')
  })
})

describe('an operation of a person', () => {
  it('does not replace one that Gardener has not taken up yet', async () => {
    const { clock, clusters, garden, work, untilStatus, until, shootOf, settle } = await stage()
    await work()
    await clusters.order({ id: 'a' })
    await untilStatus('a', 'ready')
    const place = at((await shootOf('a'))!)
    const annotate = (value: string | null) =>
      settle(
        garden.operator.patch(Shoots, place, { merge: { metadata: { annotations: { [GARDENER_OPERATION]: value } } } }),
      )
    // Gardener leaves a retry of what has not failed where it is.
    await annotate('retry')
    await clusters.change('a', { operation: { id: 'op1', kind: 'reconcile', requestedAt: clock.now() } })
    await clock.advance(5 * MINUTE)
    expect((await shootOf('a'))?.metadata.annotations).toMatchObject({ [GARDENER_OPERATION]: 'retry' })
    expect(clusters.get('a')?.sync).toMatchObject({ attempts: 0, failure: null, closedOperation: null })
    await annotate(null)
    await until(() => clusters.get('a')?.sync.closedOperation === 'op1')
  })

  it('that was not possible within an hour is told in the history, once', async () => {
    const { clock, clusters, work, until, untilStatus } = await stage()
    await work()
    await clusters.order({ id: 'a' })
    await untilStatus('a', 'ready')
    const requestedAt = clock.now() - 60 * MINUTE
    // With a change, which is written first.
    await clusters.change('a', {
      kubernetesVersion: '1.35.4',
      operation: { id: 'op1', kind: 'reconcile', requestedAt },
    })
    await until(() => clusters.get('a')?.sync.closedOperation === 'op1')
    await untilStatus('a', 'ready')
    await clock.advance(10 * MINUTE)
    const failed = clusters.get('a')?.events.filter(({ type }) => type === 'sync_failed')
    expect(failed?.map(({ message }) => message)).toEqual([
      'Gardener was not asked for reconcile: that was not possible within an hour',
    ])
    expect(clusters.get('a')?.sync).toMatchObject({ failure: null, attempts: 0 })
  })

  it('is asked for once although its worker dies between asking and writing', async () => {
    const { clock, clusters, work, untilStatus, until, shootOf } = await stage()
    let asked = 0
    const counting = (gardener: Gardener): Gardener => ({
      ...gardener,
      async annotate(place, annotations, write) {
        asked++
        return gardener.annotate(place, annotations, write)
      },
    })
    let isDead = false
    const first = await work({
      name: 'first',
      gardener: (gardener) => ({
        ...counting(gardener),
        async annotate(place, annotations, write) {
          await counting(gardener).annotate(place, annotations, write)
          isDead = true
          return new Promise<never>(() => {})
        },
      }),
    })
    await clusters.order({ id: 'a' })
    await untilStatus('a', 'ready')
    const { generation = 0 } = (await shootOf('a'))?.metadata ?? {}
    await clusters.change('a', { operation: { id: 'op1', kind: 'reconcile', requestedAt: clock.now() } })
    await until(() => isDead)
    void first.stop()
    await work({ name: 'second', gardener: counting })
    await until(() => clusters.get('a')?.sync.syncedGeneration === 2, 10 * MINUTE)
    await clock.advance(10 * MINUTE)
    expect(asked).toBe(1)
    expect((await shootOf('a'))?.metadata.generation).toBe(generation + 1)
  })
})

describe('Gardener', () => {
  it('that is down at the start costs no attempt, and everything goes on when it is back', async () => {
    const { clock, clusters, garden, work, untilStatus, until } = await stage()
    garden.down()
    await clusters.order({ id: 'a' })
    await work()
    await until(() => clusters.get('a')?.sync.failure?.code === 'GardenerUnreachable')
    await clock.advance(10 * MINUTE)
    expect(clusters.get('a')?.sync).toMatchObject({ attempts: 0, status: 'pending' })
    garden.up()
    await untilStatus('a', 'ready', 2 * MINUTE)
    expect(clusters.get('a')?.sync.failure).toBeNull()
  })

  it('that goes away midway is told in the rows that need it, and deletes nothing meanwhile', async () => {
    const { clock, clusters, garden, work, untilStatus, until, shoots } = await stage()
    await work()
    await clusters.order({ id: 'a' })
    await clusters.order({ id: 'b' })
    await untilStatus('a', 'ready')
    await untilStatus('b', 'ready')
    garden.down()
    await clusters.remove('a')
    await until(() => clusters.get('a')?.sync.failure?.code === 'GardenerUnreachable')
    await clock.advance(5 * MINUTE)
    expect(clusters.get('a')?.sync.status).not.toBe('deleted')
    expect(clusters.get('b')?.sync.status).toBe('ready')
    expect(await shoots()).toHaveLength(2)
    garden.up()
    await untilStatus('a', 'deleted', 2 * MINUTE)
    expect(await shoots()).toHaveLength(1)
  })
})

describe('an outage of Gardener', () => {
  it('leaves clusters alone that need nothing, and is asked again more and more seldom for those that do', async () => {
    const { clock, clusters, garden, work, until, untilStatus, runs, historyOf } = await stage()
    const { gardener } = await work({ statusPollMs: 30_000 })
    const ids = ['a', 'b', 'c', 'd']
    for (const id of ids) await clusters.order({ id })
    await until(() => ids.every((id) => clusters.get(id)?.sync.status === 'ready'))
    await clock.advance(10_000)
    const before = ids.map(historyOf)
    garden.down()
    await until(() => !gardener.shoots.isCurrent)
    await clusters.change('d', { kubernetesVersion: '1.35.4' })
    const ran = runs.length
    await clock.advance(30 * MINUTE)
    const runsOf = (id: string): number => runs.slice(ran).filter((key) => key.endsWith(`/${id}`)).length
    // 30 s, 1, 2, 4, 8 and 15 minutes.
    expect(runsOf('d')).toBeGreaterThanOrEqual(5)
    expect(runsOf('d')).toBeLessThanOrEqual(7)
    // Once in each poll.
    for (const id of ['a', 'b', 'c']) expect(runsOf(id)).toBeLessThanOrEqual(61)
    expect(ids.slice(0, 3).map(historyOf)).toEqual(before.slice(0, 3))
    expect(historyOf('d').filter((type) => type === 'sync_failed')).toHaveLength(1)
    expect(clusters.get('d')?.sync).toMatchObject({ attempts: 0, failure: { code: 'GardenerUnreachable' } })
    garden.up()
    await until(() => gardener.shoots.isCurrent)
    await until(() => clusters.get('d')?.sync.syncedGeneration === 2, 5_000)
    await untilStatus('d', 'ready')
    expect(clusters.get('d')?.sync.failure).toBeNull()
  })

  it('does not cut short the wait of what Gardener has refused', async () => {
    const { clock, clusters, garden, work, until } = await stage()
    const { gardener } = await work()
    const error = { status: 403, reason: 'Forbidden', message: 'shoots.core.gardener.cloud is forbidden: no' }
    for (let tries = 0; tries < 4; tries++) garden.failNext('patch', error)
    await clusters.order({ id: 'a' })
    await until(() => clusters.get('a')?.sync.attempts === 3)
    garden.down()
    await until(() => !gardener.shoots.isCurrent)
    await clock.advance(5_000)
    garden.up()
    await until(() => gardener.shoots.isCurrent)
    await clock.advance(20_000)
    expect(clusters.get('a')?.sync).toMatchObject({ attempts: 3, syncedGeneration: 0 })
  })
})

it('a watch that is not current is made up for by asking for a few at a time', async () => {
  const { clusters, work, until, untilStatus, shoots } = await stage()
  await work({
    gardener: (gardener) => ({
      ...gardener,
      shoots: {
        name: 'blind watch',
        start: async () => {},
        stop: async () => {},
        done: Promise.resolve(),
        isCurrent: false,
        ofCluster: () => undefined,
        all: () => [],
        onChange: () => () => {},
      },
    }),
  })
  const ids = ['a', 'b', 'c']
  for (const id of ids) await clusters.order({ id })
  await until(() => ids.every((id) => clusters.get(id)?.sync.status === 'ready'))
  await clusters.remove('a')
  await untilStatus('a', 'deleted')
  expect(await shoots()).toHaveLength(2)
})

describe('workers', () => {
  it('that share a queue make one Shoot per cluster', async () => {
    const { clusters, work, until, shoots } = await stage()
    await Promise.all([work({ name: 'one' }), work({ name: 'two' })])
    const ids = Array.from({ length: 12 }, (_, i) => `c${i}`)
    for (const id of ids) await clusters.order({ id })
    await until(() => ids.every((id) => clusters.get(id)?.sync.status === 'ready'))
    const made = (await shoots()).map(({ metadata }) => metadata.labels?.[CLUSTER_ID] ?? '')
    expect(made.toSorted()).toEqual(ids.toSorted())
  })

  it('whose lease has passed on change neither rows nor Shoots', async () => {
    const { clusters, work, until, untilStatus, shootOf, accepted, clock } = await stage()
    const asleep = Promise.withResolvers<void>()
    let isAsleep = false
    let outcome: unknown
    const first = await work({
      name: 'first',
      gardener: (gardener) => ({
        ...gardener,
        async apply(draft, write) {
          if (isAsleep) return gardener.apply(draft, write)
          isAsleep = true
          await asleep.promise
          // As a process that goes on after a pause: its own check of the lease is not what protects the Shoot.
          const late = { ...write, assertLeased: () => {}, signal: new AbortController().signal }
          return gardener.apply(draft, late).catch((error: unknown) => {
            outcome = error
            throw error
          })
        },
      }),
    })
    await clusters.order({ id: 'a' })
    await until(() => isAsleep)
    void first.stop()
    await work({ name: 'second' })
    await untilStatus('a', 'ready')
    await clusters.change('a', { kubernetesVersion: '1.35.4' })
    await untilStatus('a', 'progressing')
    await untilStatus('a', 'ready')
    const [before, writes] = [await shootOf('a'), accepted.length]
    asleep.resolve()
    await until(() => outcome !== undefined)
    await clock.advance(MINUTE)
    expect(outcome).toMatchObject({ failure: { code: 'ClusterStaleFence' } })
    expect((await shootOf('a'))?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion)
    expect(accepted).toHaveLength(writes)
  })
})

describe('the age of statuses', () => {
  it('grows while Gardener does not answer, although the watch on it is open', async () => {
    const { clock, work, until } = await stage()
    let [beats, isSilent] = [0, false]
    const never = new Promise<never>(() => {})
    await work({
      rows: (rows) => ({ ...rows, seen: async () => void beats++ }),
      gardener: (gardener) => ({ ...gardener, ping: (signal) => (isSilent ? never : gardener.ping(signal)) }),
    })
    await until(() => beats > 1)
    isSilent = true
    await clock.advance(10_000)
    const before = beats
    await clock.advance(MINUTE)
    expect(beats).toBe(before)
    isSilent = false
    await until(() => beats > before, MINUTE)
  })
})

describe('a pass', () => {
  it('over unchanged clusters writes nothing and asks nothing', async () => {
    const { clock, clusters, work, until, told, accepted, requests } = await stage()
    await work({ passMs: 5 * MINUTE })
    const ids = Array.from({ length: 20 }, (_, i) => `c${i}`)
    for (const id of ids) await clusters.order({ id })
    await until(() => ids.every((id) => clusters.get(id)?.sync.status === 'ready'))
    await clock.advance(MINUTE)
    const [writes, sent] = [accepted.length, requests.length]
    const scans = () => told.filter(([event]) => event === 'clusters:scanned')
    const before = scans().length
    await until(() => scans().length > before, 6 * MINUTE)
    expect(scans().at(-1)?.[1]).toMatchObject({ clusters: 20, woken: 0 })
    expect(accepted).toHaveLength(writes)
    // Lists are of the watch and of the search for orphans; the heartbeat asks whether Gardener answers.
    const others = requests.slice(sent).filter(({ path }) => !/\/(?:shoots|v1beta1)$/.test(path))
    expect(others).toEqual([])
  })

  it('at the start of a worker runs nothing where nothing has changed', async () => {
    const { clock, clusters, work, until, runs, told } = await stage()
    const first = await work()
    const ids = Array.from({ length: 10 }, (_, i) => `c${i}`)
    for (const id of ids) await clusters.order({ id })
    await until(() => ids.every((id) => clusters.get(id)?.sync.status === 'ready'))
    await clock.advance(MINUTE)
    await first.stop()
    const [ran, scans] = [runs.length, told.filter(([event]) => event === 'clusters:scanned').length]
    await work()
    await until(() => told.filter(([event]) => event === 'clusters:scanned').length > scans)
    await clock.advance(MINUTE)
    expect(runs.slice(ran)).toEqual([])
  })

  it('finds what changed while no worker ran', async () => {
    const { clusters, garden, work, until, untilStatus, shootOf, settle, historyOf } = await stage()
    const first = await work()
    await clusters.order({ id: 'a' })
    await untilStatus('a', 'ready')
    await first.stop()
    const place = at((await shootOf('a'))!)
    await settle(garden.operator.patch(Shoots, place, { merge: { spec: { hibernation: { enabled: true } } } }))
    const before = historyOf('a').length
    await work()
    await until(() => historyOf('a').slice(before).includes('sync_succeeded'), 30_000)
    expect((await shootOf('a'))?.spec.hibernation?.enabled).toBe(false)
  })
})

describe('Shoots without a row', () => {
  const stray = async ({ garden, settle, shootOf }: Awaited<ReturnType<typeof stage>>, id: string) => {
    const model = await shootOf('a')
    const { namespace = '', labels } = model!.metadata
    const name = shootName(id, projectOfNamespace(namespace), SETTINGS.maxShootNameLen)
    await settle(
      garden.operator.create(Shoots, {
        apiVersion: model!.apiVersion ?? '',
        kind: 'Shoot',
        metadata: { name, namespace, labels: { ...labels, [CLUSTER_ID]: id }, annotations: { [FENCE]: '1' } },
        spec: model!.spec,
      }),
    )
  }

  it('are removed after a grace, and those with a row stay', async () => {
    const all = await stage()
    const { clock, clusters, work, untilStatus, until, shoots, told } = all
    await work()
    await clusters.order({ id: 'a' })
    await untilStatus('a', 'ready')
    await stray(all, 'x')
    await clock.advance(6 * MINUTE)
    expect(await shoots()).toHaveLength(2)
    await until(() => told.some(([event]) => event === 'clusters:orphanRemoved'), 20 * MINUTE)
    await clock.advance(MINUTE)
    expect((await shoots()).map(({ metadata }) => metadata.labels?.[CLUSTER_ID])).toEqual(['a'])
    expect(clusters.get('a')?.sync.status).toBe('ready')
  })

  it('are deleted in the end where Gardener gave up the first time', async () => {
    const all = await stage()
    const { clusters, garden, work, untilStatus, until, shoots, shootOf, told } = all
    await work()
    await clusters.order({ id: 'a' })
    await untilStatus('a', 'ready')
    await stray(all, 'x')
    const { namespace = '', name } = (await shootOf('x'))!.metadata
    await all.settle(
      garden.gardenlet.fail({ namespace, name }, { state: 'Failed', codes: [], description: 'a machine hangs' }),
    )
    await until(() => told.some(([event]) => event === 'clusters:orphanRemoved'), 20 * MINUTE)
    await all.clock.advance(MINUTE)
    expect((await shootOf('x'))?.status?.lastOperation).toMatchObject({ type: 'Delete', state: 'Failed' })
    await all.settle(garden.gardenlet.heal({ namespace, name }))
    await until(() => told.some(([event]) => event === 'clusters:orphanRetried'), 90 * MINUTE)
    await all.clock.advance(MINUTE)
    expect((await shoots()).map(({ metadata }) => metadata.labels?.[CLUSTER_ID])).toEqual(['a'])
  })

  it('are kept when the table was emptied', async () => {
    const { clock, clusters, work, untilStatus, until, shoots, told } = await stage()
    await work()
    await clusters.order({ id: 'a' })
    await untilStatus('a', 'ready')
    await clusters.drop('a')
    await until(() => told.some(([event]) => event === 'clusters:orphansKept'), 30 * MINUTE)
    await clock.advance(30 * MINUTE)
    expect(await shoots()).toHaveLength(1)
  })

  it('are kept when most of many rows are missing', async () => {
    const { clock, clusters, work, until, shoots, told } = await stage()
    await work()
    const ids = Array.from({ length: 10 }, (_, i) => `c${i}`)
    for (const id of ids) await clusters.order({ id })
    await until(() => ids.every((id) => clusters.get(id)?.sync.status === 'ready'))
    for (const id of ids.slice(0, 6)) await clusters.drop(id)
    await until(() => told.some(([event]) => event === 'clusters:orphansKept'), 30 * MINUTE)
    await clock.advance(30 * MINUTE)
    expect(await shoots()).toHaveLength(10)
  })
})

test('the rows are told that the watch is current', async () => {
  const { clusters, clock, work, garden } = await stage()
  await work({ name: 'pod-1' })
  await clock.advance(11_000)
  expect(clock.now() - (clusters.seen.get('pod-1') ?? 0)).toBeLessThan(6_000)
  garden.down()
  await clock.advance(MINUTE)
  const last = clusters.seen.get('pod-1')
  await clock.advance(MINUTE)
  expect(clusters.seen.get('pod-1')).toBe(last)
})
