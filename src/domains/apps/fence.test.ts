import { expect, test } from 'vitest'
import { manualClock, seededRandom, type Clock } from '../../kernel/index.ts'
import { FakeKubernetes } from '../../kube/fake/index.ts'
import {
  ConfigMap,
  isForbidden,
  kubeLocks,
  makeClient,
  Namespace,
  RoleBinding,
  withFaults,
  type Fault,
  type KubeRequest,
  type Transport,
} from '../../kube/index.ts'
import {
  assertFence,
  claimNamespace,
  createNamespace,
  deleteHeldNamespace,
  fenced,
  FENCE_ANNOTATION,
  installFence,
  isStale,
  type Gate,
} from './fence.ts'
import { STALE_REFUSAL } from './fence-policy.ts'

const HOLDER = { namespace: 'shop', deploymentId: '7', userId: '1', fence: 1 }
const US = fenced(HOLDER.deploymentId, HOLDER.fence).user
const ALL_PAUSES = [20, 40, 80, 160, 320, 640, 1280, 2000, 2000]

/** A clock whose pauses are over as soon as they are noted. */
function hurried(): { readonly clock: Clock; readonly pauses: number[] } {
  const pauses: number[] = []
  let now = 0
  const after = (ms: number, fn: () => void): (() => void) => {
    let isCancelled = false
    pauses.push(ms)
    queueMicrotask(() => {
      now += ms
      if (!isCancelled) fn()
    })
    return () => void (isCancelled = true)
  }
  return { clock: { now: () => now, elapsed: () => now, after }, pauses }
}

/** A cluster where `refuse` stands for caches that have not seen yet what was written. */
async function scene({ refuse = () => undefined, clock }: { refuse?: () => string | undefined; clock: Clock }) {
  const cluster = new FakeKubernetes({ clock: manualClock(), random: seededRandom(1) })
  let fault: (request: KubeRequest) => Fault | undefined = () => undefined
  const transport = withFaults(cluster.transport(), (request) => fault(request))
  const client = makeClient(transport, { fieldManager: 'caelus' })
  await installFence(client)
  const gate: Gate = { client, clock }
  return {
    gate,
    /** Makes the namespace ours, with rights that everybody has seen, and refuses from then on. */
    begin: async () => {
      await createNamespace({ client, clock: hurried().clock }, HOLDER)
      cluster.admit(({ user }) => (user.name === US ? refuse() : undefined))
    },
    failing: (plan: typeof fault) => void (fault = plan),
  }
}

/** Says `why` for the first `times` calls. */
const first = (times: number, why: string) => {
  let calls = 0
  return () => (calls++ < times ? why : undefined)
}

test('whoever is let in at once does not pause', async () => {
  const { clock, pauses } = hurried()
  const { gate, begin } = await scene({ clock })
  await begin()
  await claimNamespace(gate, HOLDER)
  await deleteHeldNamespace(gate, HOLDER)
  expect(pauses).toEqual([])
})

test.each([
  { times: 1, pauses: ALL_PAUSES.slice(0, 1) },
  { times: 4, pauses: ALL_PAUSES.slice(0, 4) },
  { times: 9, pauses: ALL_PAUSES },
])('a policy that has not seen our fence for $times tries is given time', async ({ times, pauses: expected }) => {
  const { clock, pauses } = hurried()
  const { gate, begin } = await scene({ clock, refuse: first(times, `${STALE_REFUSAL}: held under 0`) })
  await begin()
  await claimNamespace(gate, HOLDER)
  expect(pauses).toEqual(expected)
})

test('a fence that stays stale is told as such after the last pause', async () => {
  const { clock, pauses } = hurried()
  const { gate, begin } = await scene({ clock, refuse: () => `${STALE_REFUSAL}: held under 2` })
  await begin()
  await expect(claimNamespace(gate, HOLDER)).rejects.toThrow('is held under fence another, and ours is 1')
  expect(pauses).toEqual(ALL_PAUSES)
})

test('a new namespace is entered without being refused first', async () => {
  const { clock, pauses } = hurried()
  const { gate, failing } = await scene({ clock })
  const calls: string[] = []
  failing(({ method, path }) => void calls.push(`${method} ${path.split('/').at(-2)}`))
  await createNamespace(gate, HOLDER)
  expect(calls).toEqual(['POST v1', 'PATCH rolebindings', 'PATCH rolebindings'])
  expect(pauses).toEqual([])
})

test('rights that are not seen are waited for, and given again when they are gone', async () => {
  const { clock, pauses } = hurried()
  const { gate, begin } = await scene({ clock })
  await begin()
  await gate.client.delete(RoleBinding, { namespace: HOLDER.namespace, name: 'caelus-release' })
  await claimNamespace(gate, HOLDER)
  expect(pauses).toEqual([20, 40])
})

test('rights that we may not give are not waited for', async () => {
  const { clock, pauses } = hurried()
  const { gate, failing } = await scene({ clock })
  failing(({ path }) =>
    path.includes('/rolebindings/') ? { fault: 'refused', status: 403, reason: 'Forbidden' } : undefined,
  )
  const refused = await createNamespace(gate, HOLDER).catch((error: unknown) => error)
  expect(isForbidden(refused)).toBe(true)
  expect(pauses).toEqual([])
})

test.each([
  { what: 'claiming', method: 'PATCH', act: claimNamespace },
  { what: 'deleting', method: 'DELETE', act: deleteHeldNamespace },
])('$what waits after each race that it loses', async ({ method, act }) => {
  const { clock, pauses } = hurried()
  const { gate, begin, failing } = await scene({ clock })
  await begin()
  let lost = 0
  failing((request) =>
    request.method === method && request.path.endsWith('/namespaces/shop') && lost++ < 3
      ? { fault: 'refused', status: 409, reason: 'Conflict' }
      : undefined,
  )
  await act(gate, { ...HOLDER, fence: 2 })
  expect(pauses).toEqual(ALL_PAUSES.slice(0, 3))
})

test('a pause ends with the lease', async () => {
  const lease = new AbortController()
  const pausing = Promise.withResolvers<void>()
  const after = (): (() => void) => {
    pausing.resolve()
    return () => {}
  }
  const { gate, begin } = await scene({
    clock: { now: () => 0, elapsed: () => 0, after },
    refuse: () => `${STALE_REFUSAL}: held under 0`,
  })
  await begin()
  const claimed = claimNamespace(gate, HOLDER, lease.signal)
  claimed.catch(() => {})
  await pausing.promise
  lease.abort(new Error('the lease was lost'))
  await expect(claimed).rejects.toThrow('the lease was lost')
})

test('a namespace without our label is never taken', async () => {
  const { clock } = hurried()
  const { gate } = await scene({ clock })
  await gate.client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: HOLDER.namespace } })
  await expect(createNamespace(gate, HOLDER)).rejects.toThrow('namespace shop is not ours')
  await expect(deleteHeldNamespace(gate, HOLDER)).rejects.toThrow('namespace shop is not ours')
})

test('a fence is raised only on the version of the namespace that was read', async () => {
  const { clock } = hurried()
  const { gate, begin, failing } = await scene({ clock })
  await begin()
  const changes: unknown[] = []
  failing(({ method, path, body }) => void (method === 'PATCH' && path.endsWith('/shop') && changes.push(body)))
  const { metadata } = (await gate.client.get(Namespace, { name: 'shop' })) ?? {}
  await claimNamespace(gate, { ...HOLDER, fence: 2 })
  expect(changes).toMatchObject([{ metadata: { resourceVersion: metadata?.resourceVersion } }])
})

/** An API server whose admission compares fences with a cache of its own. All servers share the objects of `cluster`. */
function apiServer(cluster: FakeKubernetes): { readonly transport: Transport; follow(): void } {
  const inner = cluster.transport()
  let cached: string | undefined
  const refusal = {
    status: 403,
    headers: {},
    body: {
      kind: 'Status',
      status: 'Failure',
      code: 403,
      reason: 'Forbidden',
      message: STALE_REFUSAL,
      details: { causes: [{ message: STALE_REFUSAL }] },
    },
  }
  return {
    transport: {
      ...inner,
      async send(request) {
        const fence = Object.entries(request.headers ?? {}).find(([name]) => name.startsWith('Impersonate-Extra-'))?.[1]
        const isRefused = request.method !== 'GET' && fence !== undefined && String(fence) !== `7:${cached}`
        return isRefused ? refusal : inner.send(request)
      },
    },
    follow() {
      const namespaces = cluster.peek(Namespace) as readonly Namespace[]
      cached = namespaces.find(({ metadata }) => metadata.name === 'shop')?.metadata.annotations?.[FENCE_ANNOTATION]
    },
  }
}

/** A worker under fence 1 on a server that lags, after a worker under fence 2 took over on another server. */
async function takenOver() {
  const { clock } = hurried()
  const cluster = new FakeKubernetes({ clock: manualClock(), random: seededRandom(1) })
  const [current, lagging] = [apiServer(cluster), apiServer(cluster)]
  const open = ({ transport }: { readonly transport: Transport }): Gate => ({
    client: makeClient(transport, { fieldManager: 'caelus' }),
    clock: { ...clock, after: (ms, fn) => clock.after(ms, () => (current.follow(), fn())) },
  })
  const [successor, old] = [open(current), open(lagging)]
  await installFence(successor.client)
  await createNamespace(successor, HOLDER)
  lagging.follow()
  const write = (gate: Gate, fence: number): Promise<unknown> =>
    gate.client
      .as(fenced(HOLDER.deploymentId, fence))
      .apply(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'shop', name: 'note' } })
  await write(old, 1)
  await claimNamespace(successor, { ...HOLDER, fence: 2 })
  return { successor, old, lagging, write }
}

test('after a takeover the server of the successor refuses the old fence, another one as soon as its cache follows', async () => {
  const { successor, old, lagging, write } = await takenOver()
  await write(successor, 2)
  await expect(write(successor, 1)).rejects.toSatisfy(isStale)
  // The limit of the proof: a request of a step that began before the takeover.
  await write(old, 1)
  lagging.follow()
  await expect(write(old, 1)).rejects.toSatisfy(isStale)
})

test('on a server whose cache lags an old worker begins no step', async () => {
  const { successor, old } = await takenOver()
  const locksOf = ({ client }: Gate) => kubeLocks({ client, namespace: 'default', clock: manualClock() })
  const request = { holder: 'apps/7', ttlMs: 30_000 }
  await locksOf(old).acquire('target', { ...request, claimFence: 1 })
  await locksOf(successor).acquire('target', { ...request, claimFence: 2 })
  for (const begin of [claimNamespace, assertFence, deleteHeldNamespace])
    await expect(begin(old, HOLDER)).rejects.toThrow('is held under fence 2, and ours is 1')
  expect(await locksOf(old).acquire('target', { ...request, claimFence: 1 })).toMatchObject({ held: false })
})
