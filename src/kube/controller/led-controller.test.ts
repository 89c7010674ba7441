import { expect, test } from 'vitest'
import {
  aborted,
  createEmitter,
  decisionLog,
  failureOf,
  keyText,
  manualClock,
  seededRandom,
  service,
  settled,
  startAll,
  type KernelEvents,
  type Reconcile,
} from '../../kernel/index.ts'
import { cache } from '../cache/cache.ts'
import { controllerOf, itself, keyAt, wakeOn } from '../cache/wake.ts'
import { makeClient } from '../client/make-client.ts'
import { FakeKubernetes } from '../fake/index.ts'
import { kubeLocks } from '../lease/locks.ts'
import { ConfigMap, Namespace, Secret } from '../resources.ts'
import { ledController, type ControllerParts, type LedControllerEvents } from './led-controller.ts'

const lease = { namespace: 'a', name: 'leader' }
const config = (namespace: string, name: string) =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name } }) as const

/** Processes of one controller of ConfigMaps and Namespaces; Secrets are children of ConfigMaps. */
function stage() {
  const clock = manualClock(Date.parse('2030-01-01T00:00:00Z'))
  const kubernetes = new FakeKubernetes({ clock, random: seededRandom(1), namespaces: ['a', 'b'] })
  const client = makeClient(kubernetes.transport(), { fieldManager: 'user' })
  const log: string[] = []
  const candidate = async (instance: string) => {
    const emitter = createEmitter<LedControllerEvents>()
    emitter.on('reconcile:end', ({ key, failure }) => {
      log.push(`${instance} ran ${keyText(key)}${failure ? `: ${failure.code}` : ''}`)
    })
    const controller = ledController(
      {
        name: 'test',
        fieldManager: 'test',
        transport: kubernetes.transport(),
        clock,
        random: () => 0.5,
        instance,
        emitter,
        decisions: decisionLog(),
        leader: { lease },
        locks: kubeLocks({ client, namespace: 'a', clock }),
        tenant: (key) => keyAt(key).namespace,
        loop: { concurrency: 2, perTenant: 1 },
      },
      (parts) => {
        const { watching, queue } = parts
        const configs = cache(watching, { resource: ConfigMap, where: { labels: 'tested' } })
        const namespaces = cache(watching, { resource: Namespace, where: { fields: 'metadata.name=a' } })
        const secrets = cache(watching, { resource: Secret })
        wakeOn(configs, queue, itself(ConfigMap), { clock })
        wakeOn(namespaces, queue, itself(Namespace), { clock })
        wakeOn(secrets, queue, controllerOf(ConfigMap), { clock })
        const reconcile: Reconcile = async () => settled()
        return {
          kinds: [
            { resource: ConfigMap, cache: configs, reconcile },
            { resource: Namespace, cache: namespaces, reconcile },
          ],
          caches: [namespaces, secrets, configs],
          onLeading: () => [
            service('heartbeat', async (signal, ready) => {
              log.push(`${instance} beats`)
              ready()
              await aborted(signal)
              log.push(`${instance} stops beating`)
            }),
          ],
          parts,
        }
      },
    )
    const started = startAll(controller.services)
    await clock.advance(1_000)
    return { ...controller, emitter, parts: controller.plan.parts, stop: await started }
  }
  const create = (namespace: string, name: string): Promise<ConfigMap> => {
    const object = config(namespace, name)
    return client.create(ConfigMap, { ...object, metadata: { ...object.metadata, labels: { tested: '' } } })
  }
  return { clock, client, log, candidate, create }
}

test('one process reconciles objects of every kind and runs the services of the leader; the next takes over', async () => {
  const { clock, log, candidate, create } = stage()
  const one = await candidate('one')
  const two = await candidate('two')
  await create('b', 'x')
  await clock.advance(100)
  expect(log).toEqual(['one beats', 'one ran Namespace/a', 'one ran ConfigMap/b/x'])
  log.length = 0
  const stopped = one.stop()
  await clock.advance(1_000)
  await stopped
  expect(two.election?.leading).toBe(true)
  expect(log.slice(0, 2)).toEqual(['one stops beating', 'two beats'])
  expect(log.slice(2).toSorted()).toEqual(['two ran ConfigMap/b/x', 'two ran Namespace/a'])
})

test('a process that stands by keeps nothing of objects that came and went, and begins its term with those that exist', async () => {
  const { clock, client, log, candidate, create } = stage()
  const one = await candidate('one')
  await candidate('two')
  for (let n = 0; n < 20; n++) {
    await create('a', `x${n}`)
    await clock.advance(100)
    await client.delete(ConfigMap, { namespace: 'a', name: `x${n}` })
    await clock.advance(100)
  }
  await create('b', 'there')
  await clock.advance(100)
  log.length = 0
  const stopped = one.stop()
  await clock.advance(10_000)
  await stopped
  const runs = log.filter((line) => line.startsWith('two ran'))
  expect(runs.toSorted()).toEqual(['two ran ConfigMap/b/there', 'two ran Namespace/a'])
})

test('a child wakes its owner, and a resync wakes every object of every kind', async () => {
  const { clock, client, log, candidate, create } = stage()
  const one = await candidate('one')
  const { metadata } = await create('a', 'x')
  await clock.advance(100)
  log.length = 0
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: metadata.uid ?? '', controller: true }
  const child = { namespace: 'a', name: 'child', ownerReferences: [owner] }
  await client.create(Secret, { apiVersion: 'v1', kind: 'Secret', metadata: child })
  await clock.advance(100)
  expect(log).toEqual(['one ran ConfigMap/a/x'])
  log.length = 0
  expect(await one.resync()).toBe(2)
  await clock.advance(100)
  expect(log).toHaveLength(2)
  log.length = 0
  await clock.advance(600_000)
  expect(log).toHaveLength(2)
})

const EFFECTS: Readonly<Record<string, (parts: ControllerParts) => Promise<unknown>>> = {
  'a write': ({ client }) => client.create(ConfigMap, config('a', 'written')),
  'a lock': ({ locks }) => locks!.acquire('target', { holder: 'test', ttlMs: 1_000 }),
  'an effect outside of Kubernetes': async ({ assertLeading }) => assertLeading(),
}

test.each(Object.entries(EFFECTS))('%s is refused in a process that does not lead', async (_, effect) => {
  const { candidate } = stage()
  const one = await candidate('one')
  const two = await candidate('two')
  await effect(one.parts)
  const failure = await effect(two.parts).then(
    () => undefined,
    (error: unknown) => failureOf(error).code,
  )
  expect(failure).toBe('NotLeading')
})

test('every wake carries the tenant of its key: no tenant has more runs than its share', async () => {
  const { clock, candidate, create } = stage()
  const one = await candidate('one')
  let [running, most] = [0, 0]
  const isOfA = ({ key }: KernelEvents['reconcile:start']): boolean => keyAt(key).namespace === 'a'
  one.emitter.on('reconcile:start', (run) => {
    if (isOfA(run)) most = Math.max(most, ++running)
  })
  one.emitter.on('reconcile:end', ({ key }) => {
    if (keyAt(key).namespace === 'a') running--
  })
  await Promise.all([create('a', 'x'), create('a', 'y'), create('a', 'z')])
  await one.resync()
  await clock.advance(100)
  expect(most).toBe(1)
})
