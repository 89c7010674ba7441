import { expect, test } from 'vitest'
import { ClassRuntime } from '../../../src/domains/runtimes/index.ts'
import { timestamp } from '../../../src/kernel/index.ts'
import { Deployment, HorizontalPodAutoscaler } from '../../../src/kube/index.ts'
import { SETTINGS } from '../parts.ts'
import { fn, RuntimesWorld } from '../world.ts'

const image = (version: number) => ({ container_image: `registry.example/hello:${version}` })

const runs = (version: number) => (one: Deployment) =>
  one.spec?.template.spec?.containers[0]?.image === image(version).container_image

const recommends = (world: RuntimesWorld, value: number) => {
  const recommendation = { value, at: timestamp(Date.now()), confidence: 1, basis: 'a test' }
  const merge = { status: { nfr_recommendations: { 'replicas/hello': recommendation } } }
  return world.client.patchStatus(ClassRuntime, world.at('cart'), { merge })
}

const autoscaler = (world: RuntimesWorld, minReplicas: number) =>
  world.client.create(HorizontalPodAutoscaler, {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: world.at('theirs'),
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart--hello' },
      minReplicas,
      maxReplicas: 9,
    },
  })

test('somebody’s autoscaler takes the replicas over, and a new image leaves them to it', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller()
  await world.create('cart', { functions: [fn('hello', { min_scale: 2 })] })
  await world.reaches('cart', 'available')
  const seen: number[] = []
  const stop = await world.watches(Deployment, 'cart--hello', ({ spec }) => seen.push(spec?.replicas ?? 0))
  await autoscaler(world, 4)
  await world.sees(
    Deployment,
    'cart--hello',
    ({ spec, status }) => spec?.replicas === 4 && status?.availableReplicas === 4,
  )
  await world.change('cart', { functions: [fn('hello', { min_scale: 2, ...image(2) })] })
  await world.sees(Deployment, 'cart--hello', runs(2))
  const { status } = await world.reaches('cart', 'available')
  await stop()
  expect(status?.phase).toBe('available')
  expect(new Set(seen)).toEqual(new Set([2, 4]))
})

test('what is enforced survives a restart in the middle of its window, and counts from where it began', async () => {
  await using world = await RuntimesWorld.make()
  const holding = (stabilityMs: number) => ({
    settings: { ...SETTINGS, nfr: { ...SETTINGS.nfr, stabilityMs, cooldownMs: 1_000 } },
  })
  // Nothing is enforced before it is stopped, however late that is.
  const first = await world.controller(holding(3_600_000))
  await world.create('cart', { functions: [fn('hello')], enforcement: { mode: 'enforce' } })
  await world.reaches('cart', 'available')
  await recommends(world, 5)
  const waiting = await world.sees(
    ClassRuntime,
    'cart',
    (one) => one.status?.nfr_state?.['replicas/hello'] !== undefined,
  )
  await first.stop()
  await world.controller(holding(4_000))
  await world.sees(Deployment, 'cart--hello', ({ spec }) => spec?.replicas === 5)
  const isRecorded = (one: ClassRuntime) => one.status?.nfr_state?.['replicas/hello']?.applied === 5
  const { status } = await world.sees(ClassRuntime, 'cart', isRecorded)
  expect(status?.nfr_state?.['replicas/hello']?.since).toBe(waiting.status?.nfr_state?.['replicas/hello']?.since)
  expect(status?.last_applied_recommendations).toMatchObject([{ dimension: 'replicas', target: 5, basis: 'a test' }])
  await world.tells('NFRApplied')
})

test('what is enforced stays through a new image, and falls back to the spec when it is switched off', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller()
  await world.create('cart', { functions: [fn('hello')], enforcement: { mode: 'enforce' } })
  await world.reaches('cart', 'available')
  const seen: number[] = []
  const stop = await world.watches(Deployment, 'cart--hello', ({ spec }) => seen.push(spec?.replicas ?? 0))
  await recommends(world, 5)
  await world.sees(Deployment, 'cart--hello', ({ spec }) => spec?.replicas === 5)
  await world.change('cart', { functions: [fn('hello', image(2))] })
  await world.sees(Deployment, 'cart--hello', runs(2))
  await world.reaches('cart', 'available')
  await stop()
  expect(seen.join(',')).toMatch(/^1(,1)*(,5)+$/)
  await world.change('cart', { enforcement: { mode: 'off' } })
  await world.sees(Deployment, 'cart--hello', ({ spec }) => spec?.replicas === 1)
  await world.reaches('cart', 'available')
})

test('to observe tells what enforcing would do, and does nothing', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller()
  await world.create('cart', { functions: [fn('hello')], enforcement: { mode: 'observe' } })
  await world.reaches('cart', 'available')
  await recommends(world, 5)
  const isTold = (one: ClassRuntime) =>
    one.status?.conditions?.some(({ type, message }) => type === 'NfrEnforced' && message.includes('5')) === true
  await world.sees(ClassRuntime, 'cart', isTold)
  expect((await world.client.get(Deployment, world.at('cart--hello')))?.spec?.replicas).toBe(1)
})
