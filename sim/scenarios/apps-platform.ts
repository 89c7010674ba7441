import type { AppsEvents, Deployment, JsonObject, Template } from '../../src/domains/apps/index.ts'
import { appsWorker, type AppsWorkerDeps } from '../../src/domains/apps/index.ts'
import { DEPLOYMENT_LABEL, FENCE_ANNOTATION, FENCE_EXTRA } from '../../src/domains/apps/fence.ts'
import { ENFORCED, PROBE, STALE_REFUSAL } from '../../src/domains/apps/fence-policy.ts'
import { FakeCharts, fakeHelm, type FakeChart, type HelmFault } from '../../src/domains/apps/helm/fake/index.ts'
import { releases } from '../../src/domains/apps/helm/index.ts'
import type { VerifiedReleaseStore } from '../../src/domains/apps/drift/verified-releases.ts'
import { APPS_QUEUE, deploymentKey } from '../../src/domains/apps/queue.ts'
import {
  fakeDeploymentRows,
  fakeVerifiedReleases,
  type FakeAppsStoreOptions,
} from '../../src/domains/apps/store/fake.ts'
import {
  decisionLog,
  createEmitter,
  failureOf,
  keyText,
  messageOf,
  sameValue,
  type KernelEvents,
  type Random,
  type Service,
} from '../../src/kernel/index.ts'
import { runDeployments } from '../../src/kube/fake/index.ts'
import {
  ConfigMap,
  Deployment as WebDeployment,
  discovery,
  Ingress,
  isNotFound,
  kubeLocks,
  makeClient,
  Namespace,
  type Client,
  type KubeObject,
  type KubeRequest,
  type Transport,
  type WatchEvents,
} from '../../src/kube/index.ts'
import type { RowChange, Table } from '../../src/store/fake/index.ts'
import { ALL_FAULTS, perAwait } from '../faults.ts'
import type { Law } from '../scenario.ts'
import { HELM_AGENT, SENTINEL } from '../standing.ts'
import type { ControlPlane, Ports, User, World } from '../world.ts'
import { DEFAULT_LAYOUT } from '../../src/domains/apps/values/layout.ts'

export const nameOf = (id: string): string => `app-${id}`

/** A message that a page with it never gets healthy with. */
const BROKEN = 'broken'
const BROKEN_IMAGE = 'broken:1'
const isBroken = (message: unknown): boolean => typeof message === 'string' && message.startsWith(BROKEN)

const CHART: FakeChart = {
  name: 'page',
  version: '1.0.0',
  defaultValues: { user: { message: 'hello' } },
  render: (values, { release }) => {
    const { user, ingress } = values as { user: { message: string }; ingress: { host: string } }
    return [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: release }, data: { message: user.message } },
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name: release },
        spec: { rules: [{ host: ingress.host }] },
      },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: release },
        spec: {
          selector: { matchLabels: { app: release } },
          template: {
            metadata: { labels: { app: release } },
            spec: { containers: [{ name: 'web', image: isBroken(user.message) ? BROKEN_IMAGE : 'web:1' }] },
          },
        },
      },
    ] as unknown as ReturnType<FakeChart['render']>
  },
  hooks: () => ({ afterMs: 3_000 }),
}

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    user: {
      type: 'object',
      properties: { message: { type: 'string' }, password: { type: 'string', writeOnly: true } },
    },
  },
}

/** Every pass writes when it was and when the next one is due. */
function isMoreThanTimes({ before, after }: RowChange<Deployment>): boolean {
  const timeless = (row: Deployment | undefined) => row && { ...row, lastReconcileAt: 0, nextReconcileAt: 0 }
  return !sameValue(timeless(before), timeless(after))
}

/** What outlives every process: rows, what workers verified, the queue, and the charts. */
export class Platform {
  readonly rows: Table<Deployment>
  readonly charts = new FakeCharts()
  readonly template: Template
  readonly store: FakeAppsStoreOptions
  readonly verified: VerifiedReleaseStore

  constructor(world: World) {
    const location = this.charts.publish('oci://charts.example.com/page', CHART)
    this.template = {
      id: 't1',
      productId: 'p1',
      packageType: 'helm-chart',
      chartRef: location.ref,
      chartVersion: location.version,
      chartDigest: location.digest,
      versionLabel: null,
      defaultValues: { user: { password: SENTINEL } },
      overrides: { user: { password: SENTINEL } },
      valuesSchema: SCHEMA,
      layout: DEFAULT_LAYOUT,
      capabilities: {},
      driftIgnore: [],
      signedBy: null,
      healthTimeoutSec: 10,
      inspection: null,
      createdAt: 0,
      deletedAt: null,
    }
    this.rows = world.table(isMoreThanTimes)
    const queue = world.queue(APPS_QUEUE, { leaseMs: world.rarely(10_000, 5_000, 20_000) })
    // As the trigger of the table does: the wake is part of the transaction.
    this.rows.onChange(({ id, before, after }) => {
      if (after !== undefined && after.generation !== before?.generation)
        void queue.wake(deploymentKey(id), { reason: 'changed', tenant: 'u1' })
    })
    const onWrite = (id: string, fence: number): void =>
      world.standing.fenced(`${APPS_QUEUE} ${keyText(deploymentKey(id))}`, fence)
    this.store = {
      deployments: this.rows,
      queue,
      template: () => this.template,
      owner: (id) => ({ id, email: 'ada@example.com' }),
      onWrite,
    }
    let verified = 0
    this.verified = fakeVerifiedReleases({
      ...this.store,
      onWrite(id, fence) {
        verified++
        onWrite(id, fence)
      },
    })
    world.observe({ version: () => verified })
  }

  /** One transaction of the API: a person's retry, and the wake. */
  async retry(id: string): Promise<void> {
    await this.rows.inTransaction(async (all) => {
      const row = all.get(id)
      if (row !== undefined) all.put(id, { ...row, retries: row.retries + 1 })
    })
    await this.store.queue.wake(deploymentKey(id), { reason: 'retry', tenant: 'u1' })
  }

  /** One transaction of the API: the intent, and by the trigger the wake. */
  async intend(id: string, now: number, change: (row: Deployment) => Partial<Deployment>): Promise<void> {
    await this.rows.inTransaction(async (all) => {
      const row = all.get(id) ?? newRow(id, now)
      all.put(id, { ...row, ...change(row), generation: row.generation + 1 })
    })
  }
}

const newRow = (id: string, now: number): Deployment => ({
  id,
  deploymentUid: nameOf(id),
  namespaceName: nameOf(id),
  releaseName: nameOf(id),
  userId: 'u1',
  domainname: `${nameOf(id)}.example.com`,
  userValues: {},
  sealedValues: {},
  desiredTemplateId: 't1',
  appliedTemplateId: null,
  status: 'pending',
  generation: 0,
  observedGeneration: 0,
  statusGeneration: 0,
  retries: 0,
  rollout: null,
  unrepairable: [],
  clusterId: null,
  suspendedAt: null,
  lastError: null,
  lastReconcileAt: null,
  nextReconcileAt: null,
  createdAt: now,
  deletedAt: null,
})

export const oneOf = <T>(random: Random, all: readonly [T, ...T[]]): T =>
  all[Math.floor(random() * all.length)] ?? all[0]

interface Acts {
  /** The deployments that it acts on. */
  readonly ids: readonly [string, ...string[]]
  readonly acts: number
}

interface TenantActs extends Acts {
  /** Where a new deployment is ordered to. Undefined: it cannot be at present. */
  readonly orderOf: (id: string) => Pick<Deployment, 'clusterId'> | undefined
}

interface MeddlerActs extends Acts {
  /** @default on the platform's own control plane */
  readonly clientOf?: (id: string, user: User) => Client
}

/** A tenant orders, changes and deletes. */
export const tenant =
  (world: World, platform: Platform, { ids, acts, orderOf }: TenantActs) =>
  async ({ random, pause, note }: User): Promise<void> => {
    const rowOf = (id: string) => platform.rows.committed().find((one) => one.id === id)
    for (let act = 1; act <= acts; act++) {
      await pause(8_000)
      const id = oneOf(random, ids)
      const patience = random() < 0.5 ? 10 : 0
      for (let looks = 0; looks < patience && rowOf(id)?.status !== 'ready'; looks++) await pause(6_000)
      const row = rowOf(id)
      if (row !== undefined && row.deletedAt !== null) continue
      const order = row === undefined ? orderOf(id) : {}
      if (order === undefined) continue
      if (row !== undefined && random() < 0.3) {
        note(`deletes ${id}`)
        await platform.intend(id, world.clock.now(), () => ({ deletedAt: world.clock.now(), status: 'deleting' }))
      } else if (row?.status === 'stalled' && random() < 0.3) {
        note(`retries ${id}`)
        await platform.retry(id)
      } else {
        note(`${row === undefined ? 'orders' : 'changes'} ${id}: ${act}`)
        const says = random() < 0.2 ? BROKEN : 'says'
        const change = { userValues: { message: `${says} ${id} ${act}` }, domainname: `${act}.example.com` }
        await platform.intend(id, world.clock.now(), () => ({ ...order, ...change }))
      }
    }
  }

/** Another user edits and deletes objects of the release. */
export const meddler =
  ({ ids, acts, clientOf = (_, { client }) => client }: MeddlerActs) =>
  async (user: User): Promise<void> => {
    const { random, pause, note } = user
    for (let act = 1; act <= acts; act++) {
      await pause(20_000)
      const id = oneOf(random, ids)
      const name = nameOf(id)
      const client = clientOf(id, user)
      const at = { namespace: name, name }
      const isEdit = random() < 0.5
      note(`${isEdit ? 'edits' : 'deletes'} ${name}`)
      const edit = { merge: { data: { message: 'meddled' } } }
      await (isEdit ? client.patch(ConfigMap, at, edit) : client.delete(ConfigMap, at)).catch((error: unknown) => {
        if (!isNotFound(error) && failureOf(error).code !== 'KubeUnreachable') throw error
      })
    }
  }

/** A control plane of the world: the platform's own, or another. */
export type Plane = Pick<ControlPlane, 'kubernetes' | 'standing'>

/** The policy of the fence, as the real server evaluates it; the standing law sees what it accepts. */
export function guard({ kubernetes, standing }: Plane): void {
  kubernetes.admit(({ user, kind, name: object, namespace, dryRun }) => {
    if (kind === 'Namespace' && object === PROBE) return ENFORCED
    if (user.name === 'caelus:viewer') return dryRun ? undefined : 'dry runs alone'
    if (user.name !== 'caelus:worker') return undefined
    if (kind === 'Namespace') return 'a release does not change namespaces'
    const { name = '', labels = {}, annotations = {} } = (namespace as KubeObject | undefined)?.metadata ?? {}
    const [id, fence] = [labels[DEPLOYMENT_LABEL], annotations[FENCE_ANNOTATION]]
    const carried = user.extra?.[FENCE_EXTRA]?.map((text) => text.split(':')) ?? []
    if (!carried.some(([forId, under]) => forId === id && under === fence))
      return `${STALE_REFUSAL}: held under ${fence}`
    if (!dryRun) standing.fenced(`namespace ${name}`, Number(fence))
    return undefined
  })
}

/** The Deployment controller, turn by turn: what is broken stays as it was. */
export function machinery({ clock, random }: World, { kubernetes }: Plane): void {
  const access = kubernetes.access()
  const ignores = ({ spec }: WebDeployment): boolean => spec?.template.spec?.containers[0]?.image === BROKEN_IMAGE
  const turn = (): void => {
    runDeployments(access, { ignores })
    next()
  }
  const next = (): void => void clock.after(300 + random() * 3_000, turn)
  next()
}

/** What is wrong with a row and what is there of it, or undefined. */
export type RowLaw = (row: Deployment, plane: Plane) => string | undefined

export const isTrue: RowLaw = (row, { kubernetes }) =>
  row.deletedAt === null ? notReady(row, kubernetes) : notGone(row, kubernetes)

export const everyRow =
  ({ rows }: Platform, law: (row: Deployment, world: World) => string | undefined): Law =>
  (world) => {
    for (const row of rows.committed()) {
      const problem = law(row, world)
      if (problem !== undefined) return `${row.id} (${row.status}, ${row.lastError?.message ?? 'no error'}): ${problem}`
    }
    return undefined
  }

function notReady(
  { status, namespaceName, generation, observedGeneration, ...row }: Deployment,
  kubernetes: World['kubernetes'],
) {
  if (isBroken(row.userValues['message'])) return notStalled(namespaceName, status, row.rollout, kubernetes)
  if (status !== 'ready' || generation !== observedGeneration) return `is at ${observedGeneration} of ${generation}`
  const page = (kubernetes.peek(ConfigMap) as readonly ConfigMap[]).find(
    ({ metadata }) => metadata.name === namespaceName,
  )
  const wanted = row.userValues['message'] ?? 'hello'
  if (page?.data?.['message'] !== wanted)
    return `says "${page?.data?.['message']}" instead of "${JSON.stringify(wanted)}"`
  const ingress = (kubernetes.peek(Ingress) as readonly Ingress[]).find(
    ({ metadata }) => metadata.name === namespaceName,
  )
  const host = ingress?.spec?.rules?.[0]?.host
  return host === row.domainname ? undefined : `is served at ${host} instead of ${row.domainname}`
}

/** What cannot get healthy is given up, and what was healthy before runs again. */
function notStalled(
  name: string,
  status: Deployment['status'],
  rollout: Deployment['rollout'],
  kubernetes: World['kubernetes'],
): string | undefined {
  if (status !== 'stalled') return 'what cannot get healthy is not given up'
  const web = (kubernetes.peek(WebDeployment) as readonly WebDeployment[]).find(
    ({ metadata }) => metadata.name === name,
  )
  const image = web?.spec?.template.spec?.containers[0]?.image
  const hadHealthy = (rollout?.healthyDigest ?? null) !== null
  return hadHealthy && image === BROKEN_IMAGE ? 'what was healthy before was not brought back' : undefined
}

function notGone({ status, namespaceName }: Deployment, kubernetes: World['kubernetes']): string | undefined {
  const isThere = (kubernetes.peek(Namespace) as readonly KubeObject[]).some(
    ({ metadata }) => metadata.name === namespaceName,
  )
  if (isThere) return `namespace ${namespaceName} is left`
  return status === 'deleted' ? undefined : 'does not have the status deleted'
}

/** Helm dies, or fails with a message that quotes what it was given. */
function helmFault(random: Random): HelmFault | undefined {
  const chance = random()
  if (chance < 0.04) return 'dies'
  return chance < 0.06 ? { code: 'HelmFailed', message: `failed to parse ${JSON.stringify(SENTINEL)}` } : undefined
}

const asHelm = (inner: Transport): Transport => {
  const signed = (request: KubeRequest) => ({ ...request, headers: { ...request.headers, 'user-agent': HELM_AGENT } })
  return { send: (request) => inner.send(signed(request)), stream: (request) => inner.stream(signed(request)) }
}

/** What a worker needs of one control plane. */
export function partsOn(transport: Transport, { charts }: Platform, { clock, random }: Ports) {
  const client = makeClient(transport, { fieldManager: 'caelus' })
  return {
    helm: fakeHelm({ transport: asHelm(transport), clock, charts, fault: () => helmFault(random) }),
    releases: releases(client, discovery(transport, clock)),
    locks: kubeLocks({ client, namespace: 'default', clock }),
  }
}

/** Changes what a worker is given. */
export type Variant = (deps: AppsWorkerDeps, ports: Ports) => Partial<AppsWorkerDeps>

export const appsProcess =
  (world: World, platform: Platform, variant: Variant) =>
  (ports: Ports): readonly Service[] => {
    const { name, transport, clock, random, durableQueue, reach, note } = ports
    const told = createEmitter<KernelEvents & WatchEvents & AppsEvents>()
    told.on('reconcile:end', ({ key, outcome, because, failure }) =>
      note(`${keyText(key)}: ${outcome} ${because ?? (failure ? `${failure.code} ${failure.message}` : '')}`),
    )
    told.on('apps:step', ({ deployment, step, failure }) => note(`${deployment}: ${step} ${failure?.code ?? 'done'}`))
    told.on('apps:looked', ({ deployment, isRemembered }) => isRemembered && note(`${deployment}: is remembered`))
    told.on('apps:touched', ({ deployment, object, how }) => note(`${deployment}: ${object} was ${how}`))
    told.on('apps:unfenced', ({ error }) => note(`not fenced: ${messageOf(error)}`))
    told.on('lease:lost', ({ key, fence }) => note(`${keyText(key)}: lost lease ${fence}`))
    const deps: AppsWorkerDeps = {
      transport,
      queue: durableQueue(APPS_QUEUE),
      rows: reach('rows', fakeDeploymentRows(platform.store), ['load', 'write', 'living', 'findIn']),
      verified: reach('verified releases', platform.verified, ['find', 'keep', 'drop', 'kinds']),
      charts: reach('charts', platform.charts, ['fetch']),
      ...partsOn(transport, platform, ports),
      settings: { ingressClass: 'nginx', digestSalt: 'salt' },
      clock,
      random,
      emitter: told,
      decisions: decisionLog(),
      version: 'simulated',
      instance: name,
      concurrency: world.rarely(4, 1),
      driftScanMs: 45_000,
      backoff: { baseMs: 500, capMs: 8_000, maxAttempts: 6 },
    }
    return appsWorker({ ...deps, ...variant(deps, ports) })
  }

/** A rollout makes dozens of calls. With as many faults per call as usual none would ever get far. */
export const FAULTS = perAwait(ALL_FAULTS, 0.2)
