import { afterEach, expect, test } from 'vitest'
import { createEmitter, manualClock, seededRandom, sleep, startAll } from '../../../../kernel/index.ts'
import { makeClient, Namespace, type Transport, type WatchEvents } from '../../../../kube/index.ts'
import { FakeKubernetes } from '../../../../kube/fake/index.ts'
import { Shoots } from '../resources.ts'
import type { ShootDraft } from '../shoot.ts'
import { gardenDefinitions } from './definitions.ts'
import { gardenlet, type GardenletOptions } from './gardenlet.ts'

const NAMESPACE = 'garden-of-org'
const pace = { stepMs: 100, steps: 4, retryMs: 1_000 }

const draft = (name: string): ShootDraft => ({
  apiVersion: 'core.gardener.cloud/v1beta1',
  kind: 'Shoot',
  metadata: { name, namespace: NAMESPACE },
  spec: { kubernetes: { version: '1.34.3' }, provider: { type: 'local' } },
})

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

const WRITE_MS = 10

/** A garden in which each write of the stand-in takes a while. */
async function world(hooks: Pick<GardenletOptions, 'prepare' | 'publish' | 'withdraw' | 'onError'> = {}) {
  const clock = manualClock(1_700_000_000_000)
  const random = seededRandom(1)
  const fake = new FakeKubernetes({ clock, random, definitions: gardenDefinitions })
  const operator = makeClient(fake.transport(), { fieldManager: 'operator' })
  const labels = { 'project.gardener.cloud/name': 'org' }
  await operator.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels } })
  const writes = { now: 0, most: 0 }
  const inner = fake.transport()
  const slow: Transport = {
    ...inner,
    async send(request) {
      if (request.method === 'GET') return inner.send(request)
      writes.now += 1
      writes.most = Math.max(writes.most, writes.now)
      await sleep(clock, WRITE_MS)
      writes.now -= 1
      return inner.send(request)
    },
  }
  const client = makeClient(slow, { fieldManager: 'gardenlet' })
  const lets = gardenlet({ client, clock, random, emitter: createEmitter<WatchEvents>(), pace, ...hooks })
  open.push(await startAll([lets]))
  const find = (name: string) => operator.get(Shoots, { namespace: NAMESPACE, name })
  return { clock, operator, lets, writes, find }
}

test('many Shoots are led at once, with a bound of writes', async () => {
  const { clock, operator, writes } = await world()
  for (let index = 0; index < 100; index++) await operator.create(Shoots, draft(`c${index}`))
  await clock.advance(60_000)
  const states = (await operator.list(Shoots)).map(({ status }) => status?.lastOperation?.state)
  expect(states).toEqual(Array.from({ length: 100 }, () => 'Succeeded'))
  expect(writes.most).toBe(16)
})

test('a Shoot is named after its project', async () => {
  const { clock, operator, find } = await world()
  await operator.create(Shoots, draft('c1'))
  await clock.advance(10_000)
  expect((await find('c1'))?.status?.technicalID).toBe('shoot--org--c1')
})

test('a Shoot is prepared before it is held, and published when it is there', async () => {
  const prepared: unknown[] = []
  const { clock, operator, find } = await world({
    async prepare(shoot) {
      prepared.push([shoot.metadata.finalizers ?? [], shoot.status])
      const { namespace = '', name } = shoot.metadata
      return operator.patch(Shoots, { namespace, name }, { merge: { spec: { seedName: 'local' } } })
    },
    publish: async () => ({ advertisedAddresses: [{ name: 'external', url: 'https://here' }] }),
  })
  await operator.create(Shoots, draft('c1'))
  await clock.advance(10_000)
  expect(prepared).toEqual([[[], undefined]])
  expect(await find('c1')).toMatchObject({
    metadata: { finalizers: ['gardener'] },
    status: { seedName: 'local', observedGeneration: 2, advertisedAddresses: [{ url: 'https://here' }] },
  })
})

test('a Shoot goes once what was published is withdrawn', async () => {
  let isStuck = true
  const errors: unknown[] = []
  const { clock, operator, find } = await world({
    async withdraw() {
      if (isStuck) throw new Error('stuck')
    },
    onError: (error) => errors.push(error),
  })
  await operator.create(Shoots, draft('c1'))
  await clock.advance(10_000)
  await operator.delete(Shoots, { namespace: NAMESPACE, name: 'c1' })
  await clock.advance(10_000)
  expect((await find('c1'))?.status?.lastOperation).toMatchObject({ type: 'Delete', state: 'Succeeded' })
  expect(errors).toContainEqual(new Error('stuck'))
  isStuck = false
  await clock.advance(10_000)
  expect(await find('c1')).toBeUndefined()
})

test('a rotation leaves its times in the status, and no annotation', async () => {
  const { clock, operator, find } = await world()
  await operator.create(Shoots, draft('c1'))
  await clock.advance(10_000)
  const rotate = async (operation: string) => {
    const merge = { metadata: { annotations: { 'gardener.cloud/operation': operation } } }
    await operator.patch(Shoots, { namespace: NAMESPACE, name: 'c1' }, { merge })
    await clock.advance(10_000)
    const { metadata, status } = (await find('c1')) ?? {}
    expect(metadata?.annotations ?? {}).toEqual({})
    return status?.credentials?.rotation
  }
  const time = expect.stringMatching(/^2023-11-14T/) as unknown
  expect(await rotate('rotate-credentials-start')).toEqual({
    certificateAuthorities: { phase: 'Prepared', lastInitiationTime: time, lastInitiationFinishedTime: time },
    serviceAccountKey: { phase: 'Prepared', lastInitiationTime: time, lastInitiationFinishedTime: time },
    etcdEncryptionKey: {
      phase: 'Prepared',
      lastInitiationTime: time,
      lastInitiationFinishedTime: time,
      autoCompleteAfterPrepared: true,
    },
    observability: { lastInitiationTime: time, lastCompletionTime: time },
    sshKeypair: { lastInitiationTime: time, lastCompletionTime: time },
  })
  const completed = { phase: 'Completed', lastInitiationTime: time, lastCompletionTime: time }
  expect(await rotate('rotate-credentials-complete')).toMatchObject({
    certificateAuthorities: completed,
    serviceAccountKey: completed,
    etcdEncryptionKey: completed,
  })
})
