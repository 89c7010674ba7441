import { expect, test } from 'vitest'
import { ClassRuntime } from '../../src/domains/runtimes/index.ts'
import { Deployment, Event, Pod } from '../../src/kube/index.ts'
import { expectNoSentinel, SENTINEL, sentinelSpellings } from '../support/sentinel.ts'
import { fn, RuntimesWorld } from './world.ts'

const HAPPENINGS = [
  'runtimes:phase',
  'runtimes:acted',
  'runtimes:enforced',
  'runtimes:noticed',
  'runtimes:eventLost',
  'reconcile:end',
  'watch:error',
] as const

test('what a function is configured with is in its container, and in nothing that is told', async () => {
  await using world = await RuntimesWorld.make()
  const { told, decided } = await world.controller()
  const heard: unknown[] = []
  for (const name of HAPPENINGS) told.on(name, (what) => heard.push(what))
  await world.create('cart', { functions: [fn('hello', {}, { PASSWORD: SENTINEL })] })
  await world.reaches('cart', 'available')
  const live = await world.client.get(Deployment, world.at('cart--hello'))
  expect(live?.spec?.template.spec?.containers[0]?.env).toContainEqual({ name: 'PASSWORD', value: SENTINEL })

  // A container that dies repeats what it was told, and somebody else's value makes a conflict.
  const [pod] = await world.client.list(Pod, { namespace: world.namespace })
  const crashed = {
    name: 'function',
    image: '',
    imageID: '',
    ready: false,
    restartCount: 3,
    state: { waiting: { reason: 'CrashLoopBackOff' } },
    lastState: {
      terminated: { exitCode: 1, message: `cannot log in with ${[...sentinelSpellings().values()].join(' or ')}` },
    },
  }
  const merge = { status: { containerStatuses: [crashed] } }
  await world.client.patchStatus(Pod, world.at(pod?.metadata.name ?? ''), { merge })
  await world.tells('CrashLoop', /cannot log in/)
  const json = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'theirs' }] as const
  await world.client.patch(Deployment, world.at('cart--hello'), { json })
  await world.reaches('cart', 'degraded', 'Conflict')
  await world.change('cart', { functions: [fn('hello', {}, { PASSWORD: 'another', OLD: 'gone' })] })
  await world.sees(ClassRuntime, 'cart', ({ metadata, status }) => status?.observed_generation === metadata.generation)

  const { status } = await world.runtime('cart')
  const events = await world.client.list(Event, { namespace: world.namespace })
  expect(decided.length).toBeGreaterThan(0)
  for (const what of [status, events, decided, heard]) expectNoSentinel(what)
})
