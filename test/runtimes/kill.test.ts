import { expect, test } from 'vitest'
import { ClassRuntime } from '../../src/domains/runtimes/index.ts'
import { timestamp } from '../../src/kernel/index.ts'
import { Deployment, Service } from '../../src/kube/index.ts'
import type { StopAt } from './controller-process.ts'
import { SETTINGS } from './parts.ts'
import { fn, RuntimesWorld } from './world.ts'

interface Moment extends StopAt {
  readonly moment: string
}

/** The children as a controller that nobody disturbed leaves them. */
const wanted = { functions: [fn('add', { min_scale: 2 }), fn('list')] }
const CHILDREN = ['cart--add', 'cart--list']

async function expectWhole(world: RuntimesWorld): Promise<void> {
  const { status, metadata } = await world.reaches('cart', 'available')
  expect(metadata.finalizers).toEqual(['oaas.io/finalizer'])
  expect(status).toMatchObject({ functions_ready: '2/2' })
  expect(await world.names(Deployment)).toEqual(CHILDREN)
  expect(await world.names(Service)).toEqual(CHILDREN)
  expect((await world.client.get(Deployment, world.at('cart--add')))?.spec?.replicas).toBe(2)
}

test.each<Moment>([
  { moment: 'after the finalizer', when: 'after', method: 'PATCH', path: '/classruntimes/cart$' },
  { moment: 'between two applies', when: 'before', method: 'PATCH', path: '/services/cart--list$' },
  {
    moment: 'after the last apply that was not answered',
    when: 'after',
    method: 'PATCH',
    path: '/deployments/cart--add$',
  },
  { moment: 'between apply and status', when: 'before', method: 'PATCH', path: '/classruntimes/cart/status$' },
  { moment: 'after the status', when: 'after', method: 'PATCH', path: '/classruntimes/cart/status$' },
])('a controller killed $moment changes nothing about the end', async (stopAt) => {
  await using world = await RuntimesWorld.make()
  await world.create('cart', wanted)
  const first = await world.process({ stopAt })
  await first.reached
  await first.kill()
  await world.process()
  await expectWhole(world)
})

test.each<Moment>([
  { moment: 'before the first deletion', when: 'before', method: 'DELETE', path: '/deployments/cart--add$' },
  { moment: 'between two deletions', when: 'after', method: 'DELETE', path: '/services/cart--list$' },
  { moment: 'before the finalizer goes', when: 'before', method: 'PATCH', path: '/classruntimes/cart$' },
])('a controller killed $moment leaves nothing behind', async (stopAt) => {
  await using world = await RuntimesWorld.make()
  await world.create('cart', wanted)
  const maker = await world.controller()
  await expectWhole(world)
  await maker.stop()
  await world.client.delete(ClassRuntime, world.at('cart'))
  const first = await world.process({ stopAt })
  await first.reached
  await first.kill()
  await world.process()
  await world.isGone(ClassRuntime, 'cart')
  expect(await world.names(Deployment)).toEqual([])
  expect(await world.names(Service)).toEqual([])
})

const ENFORCED = { path: '/deployments/cart--add$', fieldManager: 'oprc-crm-enforcer' }

test.each<Moment>([
  { moment: 'before an enforcement', when: 'before', method: 'PATCH', ...ENFORCED },
  { moment: 'between an enforcement and its record', when: 'after', method: 'PATCH', ...ENFORCED },
])('a controller killed $moment enforces once, and never through a default', async (stop) => {
  const { moment: _, ...stopAt } = stop
  await using world = await RuntimesWorld.make()
  const enforcement = { mode: 'enforce', dimensions: ['replicas'] } as const
  await world.create('cart', { ...wanted, enforcement })
  const maker = await world.controller()
  await expectWhole(world)
  await maker.stop()
  const recommendation = { value: 5, at: timestamp(Date.now()), confidence: 1, basis: 'a test' }
  const merge = { status: { nfr_recommendations: { 'replicas/add': recommendation } } }
  await world.client.patchStatus(ClassRuntime, world.at('cart'), { merge })
  const settings = { ...SETTINGS, nfr: { ...SETTINGS.nfr, cooldownMs: 3_600_000 } }
  const first = await world.process({ stopAt, settings })
  await first.reached
  await first.kill()
  const seen: number[] = []
  const stopWatching = await world.watches(Deployment, 'cart--add', ({ spec }) => seen.push(spec?.replicas ?? 0))
  await world.process({ settings })
  const { status } = await world.sees(
    ClassRuntime,
    'cart',
    (one) => one.status?.nfr_state?.['replicas/add']?.applied === 5,
  )
  await world.sees(Deployment, 'cart--add', (add) => add.status?.availableReplicas === 5)
  await stopWatching()
  expect(seen.filter((replicas) => replicas !== 2 && replicas !== 5)).toEqual([])
  expect((status?.last_applied_recommendations ?? []).length).toBeLessThanOrEqual(1)
})
