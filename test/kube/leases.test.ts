import { expect, test } from 'vitest'
import {
  createEmitter,
  failureOf,
  service,
  sleep,
  systemClock,
  type LockAnswer,
  type TargetLock,
} from '../../src/kernel/index.ts'
import {
  applyFenced,
  ConfigMap,
  deleteFenced,
  kubeLocks,
  leaderElection,
  Lease,
  patchFenced,
  type Client,
  type LeaderEvents,
} from '../../src/kube/index.ts'
import { freshNamespace, seen, testClient } from '../support/kube.ts'

/** Expires long after the test has ended. */
const FOR_EVER = { durationMs: 600_000, renewDeadlineMs: 300_000 }

function candidate(client: Client, namespace: string, identity: string, log: string[]) {
  const emitter = createEmitter<LeaderEvents>()
  const elected = Promise.withResolvers<void>()
  emitter.on('leader:elected', () => elected.resolve())
  const election = leaderElection({
    client,
    lease: { namespace, name: 'boss' },
    identity,
    ...FOR_EVER,
    emitter,
    term: () => [
      service(`work of ${identity}`, async (signal, ready) => {
        log.push(`${identity} works`)
        ready()
        await sleep(systemClock, 1e6, signal).catch(() => {})
        log.push(`${identity} rests`)
      }),
    ],
  })
  return { election, elected: elected.promise }
}

test('leadership passes at once when the leader stops, and the lease shows who leads', async () => {
  await using client = await testClient()
  await using namespace = await freshNamespace(client)
  const log: string[] = []
  const [a, b] = [candidate(client, namespace.name, 'a', log), candidate(client, namespace.name, 'b', log)]
  await a.election.start()
  await a.elected
  await b.election.start()
  const boss = { namespace: namespace.name, name: 'boss' }
  await seen(client, Lease, boss, ({ spec }) => spec?.holderIdentity === 'a')

  await a.election.stop()
  await b.elected
  expect(log).toEqual(['a works', 'a rests', 'b works'])
  expect((await client.get(Lease, boss))?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 2 })

  await b.election.stop()
  expect((await client.get(Lease, boss))?.spec?.holderIdentity).toBeUndefined()
})

test('of many that want a lock at the same moment one gets it, in every round, with a growing fence', async () => {
  await using client = await testClient()
  await using namespace = await freshNamespace(client)
  const workers = Array.from({ length: 8 }, (_, index) => ({
    holder: `worker-${index}`,
    locks: kubeLocks({ client, namespace: namespace.name }),
  }))
  const fences: number[] = []
  for (let round = 0; round < 4; round++) {
    const answers: LockAnswer[] = await Promise.all(
      workers.map(({ holder, locks }) => locks.acquire('apps/deployment/shop/web', { holder, ttlMs: 60_000 })),
    )
    const holders = answers.filter((answer) => answer.held)
    expect(holders).toHaveLength(1)
    fences.push(holders[0]!.lock.fence)
    expect(await holders[0]!.lock.renew()).toBe(true)
    await holders[0]!.lock.release()
  }
  expect(fences).toEqual(fences.toSorted((a, b) => a - b))
  expect(new Set(fences).size).toBe(4)
  expect(await client.list(Lease, { namespace: namespace.name })).toEqual([])
})

test('a void lock can neither free nor prolong nor re-create the lock of its successor', async () => {
  await using client = await testClient()
  await using namespace = await freshNamespace(client)
  const take = async (holder: string): Promise<TargetLock> => {
    const locks = kubeLocks({ client, namespace: namespace.name })
    const answer = await locks.acquire('apps/deployment/shop/web', { holder, ttlMs: 600_000 })
    if (!answer.held) throw new Error(`held by ${answer.by}`)
    return answer.lock
  }
  const old = await take('apps/1')
  const successor = await take('apps/1')
  expect(successor.fence).toBeGreaterThan(old.fence)
  await old.release()
  expect(await old.renew()).toBe(false)
  await expect(take('actions/restart')).rejects.toThrow('held by apps/1')
  expect(await successor.renew()).toBe(true)
  await successor.release()
  expect(await successor.renew()).toBe(false)
  expect(await client.list(Lease, { namespace: namespace.name })).toEqual([])
})

test('of concurrent fenced writers of one object the newest is the last, also when all create it', async () => {
  await using client = await testClient()
  await using namespace = await freshNamespace(client)
  const at = { namespace: namespace.name, name: 'shoot' }
  const write = (value: number) => {
    const draft = { apiVersion: 'v1', kind: 'ConfigMap', metadata: at, data: { by: String(value) } } as const
    return applyFenced(client, ConfigMap, draft, { key: 'caelus.dev/fence', value })
  }
  // Each has as many attempts as there are others.
  const written = await Promise.allSettled([3, 1, 5, 2, 4].map(write))
  expect(written[2]?.status).toBe('fulfilled')
  const codes = written.flatMap((one) => (one.status === 'rejected' ? [failureOf(one.reason).code] : []))
  expect(new Set([...codes, 'KubeStaleFence'])).toEqual(new Set(['KubeStaleFence']))
  const live = await client.get(ConfigMap, at)
  expect(live?.data).toEqual({ by: '5' })
  expect(live?.metadata.managedFields?.map(({ operation }) => operation)).toEqual(['Apply'])
  await expect(write(4)).rejects.toThrow('its annotation caelus.dev/fence is 5, and our fence is 4')
})

test('a fenced apply does not re-create the object that it has read', async () => {
  await using client = await testClient()
  await using namespace = await freshNamespace(client)
  const metadata = { namespace: namespace.name, name: 'shoot' }
  const draft = { apiVersion: 'v1', kind: 'ConfigMap', metadata } as const
  let deletions = 0
  const racing: Client = {
    ...client,
    async apply(resource, object, options) {
      if (deletions++ === 0) await client.delete(ConfigMap, metadata)
      return client.apply(resource, object, options)
    },
  }
  const first = await applyFenced(client, ConfigMap, draft, { key: 'caelus.dev/fence', value: 1 })
  const second = await applyFenced(racing, ConfigMap, draft, { key: 'caelus.dev/fence', value: 2 })
  expect(deletions).toBe(2)
  expect(second.metadata.uid).not.toBe(first.metadata.uid)
})

/** Fenced writes of one ConfigMap, and what is stored of it. */
function fencedConfigMap(client: Client, namespace: string) {
  const at = { namespace, name: 'shoot' }
  const draft = (by: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: at, data: { by } }) as const
  const fence = (value: number) => ({ key: 'caelus.dev/fence', value })
  return {
    at,
    apply: (value: number, as = client) => applyFenced(as, ConfigMap, draft(`fence ${value}`), fence(value)),
    patch: (value: number, annotations: Record<string, string>, as = client) =>
      patchFenced(as, ConfigMap, at, { metadata: { annotations } }, fence(value)),
    delete: (value: number, as = client) => deleteFenced(as, ConfigMap, at, fence(value)),
    writtenByHand: (merge: object) => client.patch(ConfigMap, at, { merge }, { fieldManager: 'kubectl' }),
    async stored() {
      const live = await client.get(ConfigMap, at)
      return { ...live?.metadata.annotations, ...live?.data }
    },
  }
}

test.each(['0', 'x', '9007199254740992'])(
  'a fenced apply takes over its annotation from another manager: %j',
  async (fence) => {
    await using client = await testClient()
    await using namespace = await freshNamespace(client)
    const map = fencedConfigMap(client, namespace.name)
    await map.apply(1)
    await map.writtenByHand({ metadata: { annotations: { 'caelus.dev/fence': fence } } })
    await map.apply(2)
    expect(await map.stored()).toEqual({ 'caelus.dev/fence': '2', by: 'fence 2' })
    await map.writtenByHand({ metadata: { annotations: { 'caelus.dev/fence': fence } }, data: { by: 'them' } })
    await expect(map.apply(3)).rejects.toMatchObject({ failure: { code: 'KubeFieldConflict' } })
    expect(await map.stored()).toEqual({ 'caelus.dev/fence': fence, by: 'them' })
  },
)

test('a fenced apply does not take over the annotation of a successor that has written since', async () => {
  await using client = await testClient()
  await using namespace = await freshNamespace(client)
  const map = fencedConfigMap(client, namespace.name)
  await map.apply(1)
  const applies: unknown[] = []
  const racing: Client = {
    ...client,
    async apply(resource, object, options) {
      if (applies.push(options?.force) === 1) await map.patch(3, {})
      return client.apply(resource, object, options)
    },
  }
  await expect(map.apply(2, racing)).rejects.toMatchObject({ failure: { code: 'KubeStaleFence' } })
  expect(applies).toEqual([undefined, true])
  expect(await map.stored()).toEqual({ 'caelus.dev/fence': '3', by: 'fence 1' })
})

test('a fenced patch keeps what was applied, and a fenced deletion after it refuses older writers', async () => {
  await using client = await testClient()
  await using namespace = await freshNamespace(client)
  const map = fencedConfigMap(client, namespace.name)
  expect(await map.patch(1, { confirmed: 'true' })).toBeUndefined()
  expect(await map.delete(1)).toEqual({ found: false })
  await map.apply(1)
  await map.writtenByHand({ metadata: { finalizers: ['caelus.dev/test'] } })
  await map.patch(2, { confirmed: 'true' })
  expect(await map.stored()).toEqual({ 'caelus.dev/fence': '2', confirmed: 'true', by: 'fence 1' })
  await map.apply(2)
  expect(await map.stored()).toEqual({ 'caelus.dev/fence': '2', confirmed: 'true', by: 'fence 2' })
  await expect(map.patch(1, {})).rejects.toMatchObject({ failure: { code: 'KubeStaleFence' } })
  await expect(map.delete(1)).rejects.toMatchObject({ failure: { code: 'KubeStaleFence' } })

  const deletion = await map.delete(2)
  expect(deletion.remaining?.metadata.deletionTimestamp).toBeDefined()
  await expect(map.apply(1)).rejects.toMatchObject({ failure: { code: 'KubeStaleFence' } })
  await map.writtenByHand({ metadata: { finalizers: null } })
  expect(await map.delete(2)).toEqual({ found: false })
})

test('a fenced patch and a fenced deletion read again after a concurrent write', async () => {
  await using client = await testClient()
  await using namespace = await freshNamespace(client)
  const map = fencedConfigMap(client, namespace.name)
  /** Another writer comes first, once. */
  const overtakenBy = (other: () => Promise<unknown>): Client => {
    let isFirst = true
    const first = async () => {
      if (isFirst) {
        isFirst = false
        await other()
      }
    }
    return {
      ...client,
      patch: async (...args) => (await first(), client.patch(...args)),
      delete: async (...args) => (await first(), client.delete(...args)),
    }
  }
  await map.apply(1)
  const stale = { failure: { code: 'KubeStaleFence' } }
  await expect(
    map.patch(
      2,
      { a: '1' },
      overtakenBy(() => map.apply(3)),
    ),
  ).rejects.toMatchObject(stale)
  await expect(
    map.delete(
      4,
      overtakenBy(() => map.apply(5)),
    ),
  ).rejects.toMatchObject(stale)
  const replaced = async () => {
    await client.delete(ConfigMap, map.at)
    await map.apply(7)
  }
  await expect(map.delete(6, overtakenBy(replaced))).rejects.toMatchObject(stale)
  expect(await map.stored()).toEqual({ 'caelus.dev/fence': '7', by: 'fence 7' })
  expect(
    await map.delete(
      8,
      overtakenBy(() => map.writtenByHand({ data: { n: '1' } })),
    ),
  ).toEqual({ found: true })
  await map.apply(8)
  const gone = () => client.delete(ConfigMap, map.at)
  expect(await map.patch(9, { a: '1' }, overtakenBy(gone))).toBeUndefined()
})
