import { expect, test, vi } from 'vitest'
import { createEmitter, manualClock, seededRandom } from '../../../kernel/index.ts'
import {
  ConfigMap,
  Deployment,
  discovery,
  makeClient,
  Namespace,
  type Client,
  type Discovery,
  type WatchEvents,
} from '../../../kube/index.ts'
import { FakeKubernetes } from '../../../kube/fake/index.ts'
import { DriftWatch, type DriftWatchDeps } from './watch.ts'
import { DEPLOYMENT_LABEL } from '../fence.ts'
import type { AppsEvents } from '../events.ts'

/** A watch that has not started, of a cluster with one ConfigMap of a release. */
async function world(kinds: () => Promise<readonly string[]>, wake: DriftWatchDeps['queue']['wake'] = async () => {}) {
  const clock = manualClock()
  const transport = new FakeKubernetes({ clock, random: seededRandom(1) }).transport()
  const client = makeClient(transport, { fieldManager: 'helm' })
  const labels = { [DEPLOYMENT_LABEL]: '1' }
  await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns', labels } })
  const page = { namespace: 'ns', name: 'page', labels: { 'app.kubernetes.io/managed-by': 'Helm' } }
  await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: page })
  const known = discovery(transport, clock)
  const resourceFor: Discovery['resourceFor'] = (version, kind) =>
    kind === 'Slow' ? new Promise(() => {}) : known.resourceFor(version, kind)
  const watch = new DriftWatch({
    client,
    discovery: { ...known, resourceFor },
    queue: { wake },
    kinds,
    clock,
    random: () => 0.5,
    emitter: createEmitter<WatchEvents & AppsEvents>(),
  })
  return { client, clock, watch, seen: () => [...(watch.glimpse('ns')?.objects ?? [])] }
}

const PAGE = ['v1/ConfigMap', [expect.stringMatching(/^page /)]]

test('what was followed before is known when it has started', async () => {
  const { watch, seen } = await world(async () => ['v1/ConfigMap'])
  await watch.start()
  expect(seen()).toEqual([PAGE])
  await watch.stop()
})

test('a kind of which nothing is heard holds up the start for ten seconds', async () => {
  const { clock, watch, seen } = await world(async () => ['v1/ConfigMap', 'example.com/v1/Slow'])
  let isStarted = false
  const starting = watch.start().then(() => void (isStarted = true))
  await vi.waitFor(() => expect(seen()).toEqual([PAGE]))
  await clock.advance(9_999)
  expect(isStarted).toBe(false)
  await clock.advance(1)
  await starting
  await watch.stop()
})

test('without a list of kinds it starts all the same, and follows what it is told', async () => {
  const { watch, seen } = await world(() => Promise.reject(new Error('the database is away')))
  await watch.start()
  expect(seen()).toEqual([])
  watch.follow(['v1/ConfigMap'])
  await vi.waitFor(() => expect(seen()).toEqual([PAGE]))
  await watch.stop()
})

test('a wake that the queue refused is repeated until it is accepted', async () => {
  const calls: string[] = []
  const { client, clock, watch } = await world(
    async () => ['v1/ConfigMap'],
    async ({ id }) => {
      calls.push(id)
      if (calls.length < 3) throw new Error('the database is away')
    },
  )
  await watch.start()
  await client.patch(
    ConfigMap,
    { namespace: 'ns', name: 'page' },
    { merge: { data: { a: 'b' } } },
    { fieldManager: 'me' },
  )
  await vi.waitFor(() => expect(calls).toHaveLength(1))
  await clock.advance(1_000)
  await clock.advance(1_000)
  await clock.advance(10_000)
  expect(calls).toEqual(['1', '1', '1'])
  await watch.stop()
})

const WEB = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'ns', name: 'web', labels: { 'app.kubernetes.io/managed-by': 'Helm' } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'web', image: 'web' }] } },
  },
} as const satisfies Deployment

const APPLIED = [WEB, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'ns', name: 'page' } }]

const setStatus = (client: Client, replicas: number) =>
  client.patchStatus(
    Deployment,
    { namespace: 'ns', name: 'web' },
    {
      merge: {
        status: { observedGeneration: 1, replicas, updatedReplicas: replicas, availableReplicas: replicas },
      },
    },
  )

test('applied workloads are waited for until the watch shows that they are healthy', async () => {
  const { client, watch } = await world(async () => [])
  await watch.start()
  let isHealthy = false
  const { signal } = new AbortController()
  const waiting = watch.untilHealthy(APPLIED, 60_000, signal).then(() => void (isHealthy = true))
  await client.create(Deployment, WEB)
  await vi.waitFor(() => expect(watch.glimpse('ns')?.objects.get('apps/v1/Deployment')).toHaveLength(1))
  expect([isHealthy, watch.areHealthy(APPLIED)]).toEqual([false, false])
  await setStatus(client, 1)
  await waiting
  expect(watch.areHealthy(APPLIED)).toBe(true)
  expect(['apps/v1/Deployment', 'v1/ConfigMap', 'v1/Pod'].map((kind) => watch.tellsHealthOf(kind))).toEqual([
    true,
    false,
    false,
  ])
  await watch.stop()
})

test('workloads that do not become healthy are waited for no longer than asked', async () => {
  const { clock, watch } = await world(async () => [])
  await watch.start()
  const waiting = watch.untilHealthy(APPLIED, 3_000, new AbortController().signal)
  await clock.advance(3_000)
  await waiting
  const stop = new AbortController()
  const aborted = watch.untilHealthy(APPLIED, 3_000, stop.signal)
  stop.abort(new Error('the lease was lost'))
  await expect(aborted).rejects.toThrow('the lease was lost')
  await watch.stop()
})

test('changes of health wake, but not while a run expects them', async () => {
  const woken: string[] = []
  const { client, watch } = await world(
    async () => ['apps/v1/Deployment'],
    async (_key, { reason }) => void woken.push(reason),
  )
  await client.create(Deployment, WEB)
  await watch.start()
  const callOff = watch.expectChanges('ns')
  await setStatus(client, 1)
  await vi.waitFor(() => expect(watch.areHealthy([WEB])).toBe(true))
  expect(woken).toEqual([])
  callOff()
  await setStatus(client, 0)
  await vi.waitFor(() => expect(woken).toEqual(['childChanged']))
  await watch.stop()
})
