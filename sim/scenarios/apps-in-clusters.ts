import type { AppsWorkerDeps, ClusterConnection, Deployment } from '../../src/domains/apps/index.ts'
import { adminAccess, clusterKey, CLUSTERS_QUEUE, type Cluster } from '../../src/domains/clusters/index.ts'
import type { Kubeconfig } from '../../src/domains/clusters/gardener/gardener.ts'
import { gardenDefinitions } from '../../src/domains/clusters/gardener/stand-in/definitions.ts'
import { GARDEN } from '../../src/domains/clusters/gardener/stand-in/landscape.ts'
import { FailureError, type Clock } from '../../src/kernel/index.ts'
import type { Credentials } from '../../src/kube/config/credentials.ts'
import { raise } from '../../src/kube/errors.ts'
import {
  errorOf,
  KubeError,
  kubeConfigFrom,
  Namespace,
  type At,
  type KubeConfig,
  type KubeObject,
  type KubeRequest,
  type KubeResponse,
  type Transport,
} from '../../src/kube/index.ts'
import type { Law, Laws, Scenario } from '../scenario.ts'
import type { ControlPlane, Ports, User, World } from '../world.ts'
import {
  appsProcess,
  everyRow,
  FAULTS,
  guard,
  isTrue,
  machinery,
  meddler,
  Platform,
  partsOn,
  tenant,
  type Plane,
  type Variant,
} from './apps-platform.ts'
import { clustersProcess } from './clusters.ts'
import { idOf, Landscape } from './landscape.ts'

/** Stays. Its API server fails, moves and changes its keys, but always comes back. */
const STEADY = 'steady'
/** Fails for good in some seeds, is deleted with its apps in some, or both. */
const FRAIL = 'frail'

/** Where each deployment is ordered to. */
const PLACES: Readonly<Record<string, string | null>> = { '1': null, '2': STEADY, '3': FRAIL, '4': FRAIL }
const IDS = ['1', '2', '3', '4'] as const
/** Those of the visitor, who measures how long a change takes. */
const MEASURED = [
  { id: '7', clusterId: null },
  { id: '8', clusterId: STEADY },
] as const

const FAULTS_MS = 100_000
/** Ten minutes in the database. */
const GIVE_UP_MS = 60_000
/** How long a change may take that nothing stands in the way of: a lease that has to lapse, a connection, a rollout. */
const PROMPT_MS = 90_000

/** For everything to come to an end after the faults. */
const LONGEST_MS = 600_000

/** Longer than it takes to get credentials. */
const NEW_MS = 12_000

/** In the head of every token, so that the standing law finds it. */
const SECRET = 's3ntinel'
// The parser is loaded once, and not in virtual time.
await kubeConfigFrom(kubeconfigOf('https://nowhere.example', ''), 'of nobody')

function kubeconfigOf(server: string, token: string, user: object = {}): string {
  return JSON.stringify({
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { token, ...user } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  })
}

interface Token {
  readonly clusterId: string
  readonly server: string
  readonly madeAt: number
  readonly expiresAt: number
  isRevoked: boolean
}

/** What answers at an address. A place that was left refuses everyone, or answers nobody. */
interface Address {
  readonly plane: ControlPlane
  isLeft: boolean
  /** An API server of somebody else answers here by now, and knows no credentials of ours. */
  isForeign: boolean
}

/** The control planes of the clusters, and Gardener as it hands out access to them. */
class Shoots {
  readonly planes = new Map<string, ControlPlane>()
  /** Those that never come back. */
  readonly dead = new Set<string>()
  /** The first law that was broken. */
  broken: string | undefined
  readonly #world: World
  readonly #landscape: () => Landscape
  readonly #tokens = new Map<string, Token>()
  readonly #addresses = new Map<string, Address>()
  readonly #servers = new Map<string, string>()
  readonly #lifeMs: number
  readonly #calmAt: number

  constructor(world: World, landscape: () => Landscape) {
    this.#world = world
    this.#landscape = landscape
    this.#lifeMs = world.rarely(60_000, 20_000, 300_000)
    this.#calmAt = world.clock.now() + FAULTS_MS
    for (const id of [STEADY, FRAIL]) {
      const plane = world.controlPlane(id)
      this.planes.set(id, plane)
      guard(plane)
      machinery(world, plane)
      this.move(id)
    }
  }

  planeOf(clusterId: string | null): Plane {
    return this.planes.get(clusterId ?? '') ?? this.#world
  }

  break(how: string): void {
    this.broken ??= how
  }

  /** Its API server gets another address. */
  move(id: string): void {
    const plane = this.planes.get(id)
    if (plane === undefined) return
    const left = this.#addresses.get(this.#servers.get(id) ?? '')
    if (left !== undefined) [left.isLeft, left.isForeign] = [true, this.#world.random() < 0.5]
    plane.kubernetes.breakWatches()
    const server = `https://${id}-${this.#addresses.size + 1}.example`
    this.#addresses.set(server, { plane, isLeft: false, isForeign: false })
    this.#servers.set(id, server)
  }

  /** Credentials that were given out before are refused from now on. */
  rotate(id: string): void {
    for (const token of this.#tokens.values()) if (token.clusterId === id) token.isRevoked = true
  }

  /** Nothing of it is left. */
  end(id: string): void {
    this.dead.add(id)
    this.down(id, true)
  }

  down(id: string, isDown: boolean): void {
    const plane = this.planes.get(id)
    if (plane === undefined) return
    plane.isDown = isDown || this.dead.has(id)
    if (plane.isDown) plane.kubernetes.breakWatches()
  }

  /** Gardener's own answer, which is of no use now and then. */
  async adminKubeconfig({ name }: At): Promise<Kubeconfig> {
    const { clock, random } = this.#world
    const shoot = this.#landscape()
      .shoots()
      .find((one) => one.metadata.name === name)
    const clusterId = shoot === undefined ? '' : idOf(shoot)
    const server = this.#servers.get(clusterId)
    if (shoot?.status?.lastOperation === undefined || server === undefined)
      throw new Error(`Shoot ${name} is not ready`)
    const chance = clock.now() < this.#calmAt ? random() : 1
    if (chance < 0.1) throw new Error('failed to sign the certificate')
    const token = `${SECRET}-${this.#tokens.size + 1}`
    const madeAt = clock.now()
    const expiresAt = madeAt + this.#lifeMs
    this.#tokens.set(token, { clusterId, server, madeAt, expiresAt, isRevoked: false })
    const text = kubeconfigOf(server, token, chance < 0.13 ? { exec: { command: 'id' } } : {})
    return { kubeconfig: chance > 0.13 && chance < 0.16 ? text.slice(0, -30) : text, expiresAt }
  }

  /** Checks what a process is about to send. */
  checkSent(server: string, { authorization = '' }: Credentials, clock: Clock): void {
    const token = this.#tokens.get(authorization.replace('Bearer ', ''))
    if (token === undefined) return this.break(`${server} was sent a request without credentials`)
    if (token.server !== server) this.break(`credentials for ${token.server} were sent to ${server}`)
    // A clock that is far ahead takes new ones for ended, and they are all that there is.
    const isNew = this.#world.clock.now() < token.madeAt + NEW_MS
    if (!isNew && clock.now() >= token.expiresAt)
      this.break(`${server} was sent credentials that had ended by the clock of their holder`)
  }

  /** What the server of that address answers. */
  serving(server: string): Transport {
    const address = this.#addresses.get(server)
    if (address === undefined) throw new Error(`there is no ${server}`)
    const inner = address.plane.kubernetes.transport()
    return {
      send: async (request) => (this.#accepts(server, request) ? await inner.send(request) : structuredClone(REFUSED)),
      stream: (request) => (this.#accepts(server, request) ? inner.stream(request) : refusedStream()),
    }
  }

  /** For the connection of one process to an address. */
  at(server: string): ControlPlane {
    const address = this.#addresses.get(server)
    if (address === undefined) throw new Error(`there is no ${server}`)
    const { plane } = address
    return {
      ...plane,
      get isDown() {
        return plane.isDown || (address.isLeft && !address.isForeign)
      },
    }
  }

  #accepts(server: string, { headers }: KubeRequest): boolean {
    const address = this.#addresses.get(server)
    const token = this.#tokens.get(String(headers?.['authorization']).replace('Bearer ', ''))
    if (address === undefined || token === undefined) return false
    const isValid = token.server === server && !token.isRevoked && this.#world.clock.now() < token.expiresAt
    return isValid && !address.isLeft
  }
}

const REFUSED: KubeResponse = {
  status: 401,
  headers: {},
  body: { kind: 'Status', status: 'Failure', code: 401, reason: 'Unauthorized', message: 'Unauthorized' },
}

// eslint-disable-next-line require-yield
async function* refusedStream(): AsyncGenerator {
  throw errorOf('watch', REFUSED)
}

/** As the HTTP transport does it: credentials that are refused are renewed once. */
function withCredentials({ credentials }: KubeConfig, wire: Transport, check: (sent: Credentials) => void): Transport {
  const current = async (): Promise<Credentials> => {
    try {
      return await credentials.current()
    } catch (error) {
      throw error instanceof FailureError ? error : raise.KubeUnreachable(`failed to get credentials: ${String(error)}`)
    }
  }
  const signed = (request: KubeRequest, sent: Credentials): KubeRequest => {
    request.beforeSend?.()
    check(sent)
    return { ...request, headers: { ...request.headers, authorization: sent.authorization ?? '' } }
  }
  return {
    async send(request) {
      const sent = await current()
      const answer = await wire.send(signed(request, sent))
      if (answer.status !== 401 || !credentials.refused(sent)) return answer
      return await wire.send(signed(request, await current()))
    },
    async *stream(request) {
      const sent = await current()
      try {
        yield* wire.stream(signed(request, sent))
        return
      } catch (error) {
        if (!(error instanceof KubeError) || error.status !== 401 || !credentials.refused(sent)) throw error
      }
      yield* wire.stream(signed(request, await current()))
    },
  }
}

/** A worker of apps that is connected to clusters. */
const connected =
  ({ landscape, shoots, platform }: Land) =>
  ({ emitter }: AppsWorkerDeps, ports: Ports): Partial<AppsWorkerDeps> => {
    const { reach, connect, clock, note } = ports
    emitter.on('apps:cluster', ({ cluster, failure }) => note(`${cluster}: ${failure?.message ?? 'can be used'}`))
    emitter.on('reconcile:end', ({ key, outcome, failure }) => {
      if (failure !== undefined && (outcome === 'retry' || outcome === 'terminal') && AWAY.has(failure.code))
        shoots.break(`deployment ${key.id} has lost an attempt to ${failure.code} (${failure.message})`)
    })
    const gardener = reach('garden', { adminKubeconfig: (at: At) => shoots.adminKubeconfig(at) }, ['adminKubeconfig'])
    const rows = reach('rows of clusters', landscape.clusters.rows, ['load'])
    const audit = reach('audit', { note: async () => {} }, ['note'])
    const directory = reach('directory', { inUse: async () => inUse(platform) }, ['inUse'])
    return {
      driftScanMs: 70_000,
      clusters: {
        access: adminAccess({ gardener, load: (id) => rows.load(id), note: () => audit.note(), clock }),
        inUse: () => directory.inUse(),
        connect(_, config): ClusterConnection {
          const { server } = config
          const wire = connect(shoots.at(server), shoots.serving(server))
          const transport = withCredentials(config, wire, (sent) => shoots.checkSent(server, sent, clock))
          return { transport, ...partsOn(transport, platform, ports), services: [], close: async () => {} }
        },
      },
    }
  }

/** The codes of a cluster that is away, and of access that is not given. */
const AWAY: ReadonlySet<string> = new Set([
  'ClusterUnreachable',
  'KubeUnreachable',
  'ControlPlaneUnreachable',
  'KubeUnauthorized',
  'KubeConfigInvalid',
])

const inUse = ({ rows }: Platform): readonly string[] => [
  ...new Set(rows.committed().flatMap(({ clusterId, status }) => (status === 'deleted' ? [] : (clusterId ?? [])))),
]

/** Everything that outlives a process. */
interface Land {
  readonly platform: Platform
  readonly landscape: Landscape
  readonly shoots: Shoots
  /** Since when the row of a deployment says that its cluster does not answer. */
  readonly unreachable: Map<string, number>
}

const appsOf = ({ rows }: Platform, clusterId: string): readonly Deployment[] =>
  rows.committed().filter((row) => row.clusterId === clusterId && row.status !== 'deleted')

/** As `tenant.cluster_apps_left` counts them. */
const holds = (
  { unreachable }: Pick<Land, 'unreachable'>,
  row: Deployment,
  { deletedAt }: Cluster,
  now: number,
): boolean =>
  row.deletedAt === null ||
  now <= (unreachable.get(row.id) ?? now) + GIVE_UP_MS ||
  now <= (deletedAt ?? now) + GIVE_UP_MS

/** As the trigger of the table notes it. */
function noteUnreachable({ unreachable }: Pick<Land, 'unreachable'>, after: Deployment, now: number): void {
  if (after.lastError?.code !== 'ClusterUnreachable') unreachable.delete(after.id)
  else if (!unreachable.has(after.id)) unreachable.set(after.id, now)
}

/** What is left of apps in a cluster that is not given up. */
function leftIn(land: Land, cluster: Cluster, now: number): string | undefined {
  const { platform, shoots } = land
  const [held] = appsOf(platform, cluster.id).filter((row) => holds(land, row, cluster, now))
  if (held !== undefined) return `deployment ${held.id} was in it (${held.status})`
  if (appsOf(platform, cluster.id).length > 0) return undefined
  const { kubernetes } = shoots.planeOf(cluster.id)
  const names = new Set(platform.rows.committed().map(({ namespaceName }) => namespaceName))
  const left = (kubernetes.peek(Namespace) as readonly KubeObject[]).find(({ metadata }) => names.has(metadata.name))
  return left && `namespace ${left.metadata.name} was in it`
}

/** No write for an app reaches another control plane than its own, not even as a dry run. */
function keepApart({ platform, shoots }: Land, clusterId: string | null): void {
  const { kubernetes } = shoots.planeOf(clusterId)
  kubernetes.admit(({ kind, name, namespace, user }) => {
    const place = kind === 'Namespace' ? name : (namespace as KubeObject | undefined)?.metadata.name
    const row = platform.rows.committed().find(({ namespaceName }) => namespaceName === place)
    if (row !== undefined && row.clusterId !== clusterId)
      shoots.break(`${user.name} wrote ${kind} ${name} of deployment ${row.id} into ${clusterId ?? 'the platform'}`)
    return undefined
  })
}

/** Orders the clusters, and is who their API servers suffer from. */
const organization =
  (world: World, { landscape, shoots, platform }: Land) =>
  async ({ random, pause, note }: User): Promise<void> => {
    const order = { organizationId: 'o1', kubernetesVersion: '1.34.1' }
    for (const id of [STEADY, FRAIL]) await landscape.clusters.order({ id, name: id, ...order })
    for (let act = 1; act <= 4; act++) {
      await pause(25_000)
      const id = random() < 0.5 ? STEADY : FRAIL
      const chance = random()
      if (chance < 0.35) {
        note(`moves ${id}`)
        shoots.move(id)
      } else if (chance < 0.6) {
        note(`rotates the credentials of ${id}`)
        shoots.rotate(id)
      } else {
        note(`stops ${id}`)
        shoots.down(id, true)
        await pause(40_000)
        note(`starts ${id}`)
        shoots.down(id, false)
      }
    }
    const fate = random()
    if (fate < 0.35) {
      note(`${FRAIL} dies`)
      shoots.end(FRAIL)
      await pause(30_000)
    }
    if (fate > 0.15 && fate < 0.75) {
      note(`deletes ${FRAIL} with its apps`)
      const now = world.clock.now()
      for (const { id, deletedAt } of appsOf(platform, FRAIL))
        if (deletedAt === null) await platform.intend(id, now, () => ({ deletedAt: now, status: 'deleting' }))
      await landscape.clusters.remove(FRAIL)
      const isOver = (): boolean => landscape.clusters.get(FRAIL)?.sync.status === 'deleted'
      // Nothing happens while apps of a cluster that is away are waited for.
      for (const end = now + 6 * GIVE_UP_MS; !isOver() && world.clock.now() < end;) await pause(5_000)
    }
  }

/** Changes what nothing is wrong with, once faults have ended. */
const visitor =
  (world: World, { platform, shoots }: Land) =>
  async ({ pause, note }: User): Promise<void> => {
    const begin = world.clock.now()
    const now = (): number => world.clock.now()
    const isCurrent = (id: string): boolean =>
      platform.rows
        .committed()
        .some((row) => row.id === id && row.status === 'ready' && row.observedGeneration === row.generation)
    for (const { id, clusterId } of MEASURED) await platform.intend(id, now(), () => ({ clusterId }))
    while (now() < begin + FAULTS_MS + 30_000) await pause(10_000)
    for (const { id } of MEASURED) {
      note(`changes ${id}`)
      const asked = now()
      await platform.intend(id, asked, () => ({ userValues: { message: 'a visit' } }))
      while (!isCurrent(id) && now() < asked + PROMPT_MS) await pause(1_000)
      if (!isCurrent(id)) shoots.break(`a change of deployment ${id} took more than ${PROMPT_MS / 1000} s`)
    }
  }

const isUnfinished = ({ status, clusterId, lastError }: Deployment, { shoots }: Land): boolean => {
  if (status === 'deleted' || lastError?.code === 'ClusterUnreachable') return false
  return shoots.dead.has(clusterId ?? '') || (status !== 'ready' && status !== 'stalled')
}

/** Clocks of workers may be minutes apart, and one waits for the time of the next try that the other noted. */
const thenWaits =
  (world: World, land: Land, acts: (user: User) => Promise<void>) =>
  async (user: User): Promise<void> => {
    const end = world.clock.now() + FAULTS_MS + LONGEST_MS
    await acts(user)
    const isOver = (): boolean => !land.platform.rows.committed().some((row) => isUnfinished(row, land))
    while (!isOver() && world.clock.now() < end) await user.pause(10_000)
  }

/** A deployment of a cluster that never comes back waits for it, or went with it. */
const everyAppIsInItsPlace = ({ platform, shoots, landscape }: Land): Law =>
  everyRow(platform, (row) => {
    const { clusterId } = row
    if (clusterId === null || !shoots.dead.has(clusterId)) return isTrue(row, shoots.planeOf(clusterId))
    if (landscape.clusters.get(clusterId)?.sync.status === 'deleted')
      return row.status === 'deleted' ? undefined : 'it did not go with its cluster'
    if (row.status === 'deleted') return isTrue(row, shoots.planeOf(clusterId))
    return row.lastError?.code === 'ClusterUnreachable' ? undefined : 'it does not wait for its cluster'
  })

const clustersAreAsOrdered =
  ({ landscape }: Land): Law =>
  () => {
    const row = landscape.clusters.table
      .committed()
      .find(({ cluster, sync }) => sync.status !== (cluster.deletedAt === null ? 'ready' : 'deleted'))
    return row && `${row.cluster.id} is ${row.sync.status}: ${row.sync.statusMessage}`
  }

/** Two workers of apps that are in clusters, and one of clusters; or a variant of them with a fault planted on purpose. */
export const appsInClustersScenario = (name = 'apps-in-clusters', variant: Variant = () => ({})): Scenario => ({
  name,
  definitions: gardenDefinitions,
  namespaces: [GARDEN],
  faults: FAULTS,
  faultsMs: FAULTS_MS,
  convergeMs: 1_500_000,
  setup(world): Laws {
    const platform = new Platform(world)
    let land: Land | undefined
    const unreachable = new Map<string, number>()
    const appsLeft = (cluster: Cluster): number =>
      appsOf(platform, cluster.id).filter((row) => holds({ unreachable }, row, cluster, world.clock.now())).length
    const landscape = new Landscape(world, {
      appsLeft,
      mayGo: (cluster) => land && leftIn(land, cluster, world.clock.now()),
    })
    const shoots = new Shoots(world, () => landscape)
    land = { platform, landscape, shoots, unreachable }
    landscape.clusters.table.onChange(({ id, after }) => {
      if (after?.sync.status === 'deleted') shoots.end(id)
    })
    // As the triggers of the table do.
    platform.rows.onChange(({ before, after }) => {
      if (after !== undefined) noteUnreachable({ unreachable }, after, world.clock.now())
      const clusterId = after?.clusterId ?? null
      if (clusterId === null || after?.status !== 'deleted' || before?.status === 'deleted') return
      if (landscape.clusters.get(clusterId)?.cluster.deletedAt !== null)
        void world.queue(CLUSTERS_QUEUE).wake(clusterKey(clusterId), { reason: 'childChanged', tenant: 'o1' })
    })
    for (const place of [null, STEADY, FRAIL]) keepApart(land, place)
    guard(world)
    machinery(world, world)
    const given = connected(land)
    const changed: Variant = (deps, ports) => {
      const all = { ...deps, ...given(deps, ports) }
      return { ...all, ...variant(all, ports) }
    }
    world.process('worker', appsProcess(world, platform, changed))
    world.process('clusters', clustersProcess(world, landscape), { replicas: 1 })
    const orderOf = (id: string) => {
      const clusterId = PLACES[id] ?? null
      const isUsable = clusterId === null || landscape.clusters.get(clusterId)?.cluster.deletedAt === null
      return isUsable ? { clusterId } : undefined
    }
    const clientOf = (id: string, user: User) => {
      const plane = shoots.planes.get(PLACES[id] ?? '')
      return plane === undefined ? user.client : user.clientOf(plane)
    }
    const users = {
      organization: organization(world, land),
      tenant: tenant(world, platform, { ids: IDS, acts: 9, orderOf }),
      meddler: meddler({ ids: IDS, acts: 5, clientOf }),
      visitor: visitor(world, land),
    }
    for (const [who, acts] of Object.entries(users)) world.user(who, thenWaits(world, land, acts))
    return {
      always: {
        'what is of a cluster stays in it': () => shoots.broken,
        'a Shoot is written by its holder alone, and told as it is': () => landscape.broken,
      },
      eventually: {
        'every app is in its place': everyAppIsInItsPlace(land),
        'clusters are as ordered': clustersAreAsOrdered(land),
      },
    }
  },
})
