import { describe, expect, it } from 'vitest'
import { decide } from './decide.ts'
import {
  applied,
  available,
  DEPLOYMENT,
  fn,
  on,
  pod,
  SERVICE,
  SPEC,
  statusOf,
  tried,
  trueConditions,
} from './fake/cart.ts'
import {
  edited,
  failure,
  later,
  looking,
  play,
  rewritten,
  rolledOut,
  SETTINGS,
  worldOf,
  withChild,
  without,
} from './fake/world.ts'
import { conditionOf } from './judge/phase.ts'
import type { ChildRef } from './types.ts'

describe('a runtime that is new', () => {
  it('gets its finalizer and its children in one run, and waits for them', () => {
    const first = play(worldOf(SPEC))
    expect(tried(first)).toEqual(['addFinalizer', 'apply Deployment/cart--checkout', 'apply Service/cart--checkout'])
    expect(first.decision).toMatchObject({ phase: 'progressing', checkAgain: { afterMs: 601_000 } })
    expect(statusOf(first.world)).toMatchObject({
      phase: 'progressing',
      message: 'waiting for Deployment/cart--checkout',
      observed_generation: 1,
      template: 'k8s_deployment',
      functions_ready: '0/1',
      resource_refs: [
        { kind: 'Deployment', name: 'cart--checkout' },
        { kind: 'Service', name: 'cart--checkout' },
      ],
      functions: [
        {
          function_key: 'checkout',
          service: 'cart--checkout',
          port: 80,
          template: 'k8s_deployment',
          ready: false,
          reason: 'NotReady',
          message: 'waiting for Deployment/cart--checkout',
          lastTransitionTime: '2030-01-01T00:00:00Z',
        },
      ],
    })
    expect(trueConditions(first.world)).toEqual(['Progressing/WaitingForReadiness'])
    expect(statusOf(first.world).conditions?.map(({ type }) => type)).toEqual(['Available', 'Degraded', 'Progressing'])
  })

  it('is pending while its finalizer cannot be set, and nothing is made', () => {
    const refused = play(worldOf(SPEC), SETTINGS, on('addFinalizer', failure('KubeForbidden', true, 'no patch')))
    expect(tried(refused)).toEqual(['addFinalizer'])
    expect(refused.decision.checkAgain).toEqual({ afterMs: 5_000, because: 'the finalizer: no patch' })
    expect(statusOf(refused.world)).toMatchObject({ phase: 'pending', message: 'the finalizer: no patch' })
    expect(statusOf(refused.world)).not.toHaveProperty('observed_generation')
    expect(trueConditions(refused.world)).toEqual([])
    expect(conditionOf(statusOf(refused.world), 'Progressing')).toMatchObject({ status: 'False', reason: 'Pending' })
  })

  it('becomes available when everything wanted is ready for the generation that was asked for', () => {
    expect(statusOf(available)).toMatchObject({
      phase: 'available',
      message: 'everything is ready',
      functions_ready: '1/1',
      functions: [{ ready: true, reason: 'Ready', observed_url: 'http://cart--checkout.shop.svc.cluster.local' }],
    })
    expect(trueConditions(available)).toEqual(['Available/AllReady'])
  })

  it('is not available by pods of the spec before', () => {
    const { world } = play(rewritten(available, { ...SPEC, functions: [fn('checkout', 'checkout:2')] }))
    expect(statusOf(world).phase).toBe('progressing')
    expect(statusOf(play(rolledOut(world)).world).phase).toBe('available')
  })

  it('is not available with some of the replicas', () => {
    const scaled = {
      ...SPEC,
      functions: [{ ...fn('checkout'), provision_config: { container_image: 'a', min_scale: 3 } }],
    }
    const { world } = play(worldOf(scaled))
    expect(statusOf(play(rolledOut(world, () => 2)).world).phase).toBe('progressing')
    expect(statusOf(play(rolledOut(world)).world).phase).toBe('available')
  })

  it('waits for ODGM too when that is enabled', () => {
    const { world } = play(worldOf({ ...SPEC, addons: ['odgm'] }))
    const odgm: ChildRef = { kind: 'Deployment', name: 'cart-odgm' }
    const some = withChild(rolledOut(world), odgm, (child) => ({
      ...child,
      object: { ...child.object, status: {} } as never,
    }))
    expect(statusOf(play(some).world)).toMatchObject({
      phase: 'progressing',
      message: 'waiting for Deployment/cart-odgm',
    })
    expect(statusOf(play(rolledOut(world)).world).phase).toBe('available')
  })

  it('has a function inside ODGM that is as ready as ODGM is', () => {
    const wasm = { function_key: 'sum', provision_config: { wasm_module_url: 'https://modules.example/sum.wasm' } }
    const { world } = play(worldOf({ ...SPEC, addons: ['odgm'], functions: [wasm] }))
    expect(statusOf(world).functions).toMatchObject([
      { function_key: 'sum', ready: false, predicted_url: 'wasm://sum' },
    ])
    expect(statusOf(play(rolledOut(world)).world).functions).toMatchObject([
      { ready: true, observed_url: 'wasm://sum' },
    ])
  })
})

describe('a runtime that is as wanted', () => {
  it('is left alone: no action, the very same status, no timer', () => {
    const decision = decide(available.seen, SETTINGS, available.now + 86_400_000)
    expect(decision).toEqual({ phase: 'available', actions: [], status: statusOf(available), notices: [] })
    expect(decision.status).toBe(available.seen.runtime.status)
  })

  it('progresses again when pods go, with a timer that starts then', () => {
    const { world, done } = play(
      later(
        rolledOut(available, () => 0),
        3_600_000,
      ),
    )
    expect(done).toEqual([])
    expect(statusOf(world).phase).toBe('progressing')
    expect(conditionOf(statusOf(world), 'Progressing')?.lastTransitionTime).toBe('2030-01-01T01:00:00Z')
  })

  it('puts a field back that somebody changed, and stays available', () => {
    const labels = { metadata: { labels: { 'oaas.io/component': 'mine' } } }
    const repaired = play(withChild(available, SERVICE, edited(labels)))
    expect(tried(repaired)).toEqual(['apply Service/cart--checkout'])
    expect(statusOf(repaired.world)).toBe(statusOf(available))
  })

  it('does not care about fields that it does not render', () => {
    const theirs = { metadata: { labels: { team: 'shop' } }, spec: { paused: true } }
    expect(tried(play(withChild(available, SERVICE, edited(theirs))))).toEqual([])
  })

  it('takes back a field that it rendered before', () => {
    const config = (env: Record<string, string>) => ({ ...SPEC, functions: [{ ...fn('checkout'), config: env }] })
    const with2 = play(worldOf(config({ A: '1', B: '2' }))).world
    const with1 = play(rewritten(with2, config({ A: '1' })))
    expect(tried(with1)).toEqual(['apply Deployment/cart--checkout'])
    expect(tried(play(with1.world))).toEqual([])
  })

  it('is not available while somebody changes it under the run that applied it', () => {
    const { seen, now } = withChild(available, DEPLOYMENT, edited({ spec: { revisionHistoryLimit: 1 } }))
    const done = decide(seen, SETTINGS, now).actions.map((action) => ({ action }))
    expect(decide({ ...seen, done }, SETTINGS, now)).toMatchObject({ phase: 'applying', actions: [] })
  })

  it('leaves a child alone that a webhook keeps changing, until something else is asked for', () => {
    const mutated = withChild(available, DEPLOYMENT, edited({ spec: { revisionHistoryLimit: 1 } }))
    const known = looking(mutated, { mutated: ['Deployment/cart--checkout/uid-of-Deployment-cart--checkout/2'] })
    expect(tried(play(known))).toEqual([])
    const more = rewritten(known, { ...SPEC, functions: [{ ...fn('checkout'), config: { A: '1' } }] })
    expect(tried(play(more))).toEqual(['apply Deployment/cart--checkout'])
  })

  it('keeps the template that was chosen for it when another API appears', () => {
    const { selected_template: _, ...spec } = SPEC
    const chosen = play(rolledOut(play(worldOf(spec)).world)).world
    const served = [...chosen.seen.served, 'KnativeService' as const]
    expect(tried(play(looking(chosen, { served })))).toEqual([])
  })

  it('says which routers there are, and says it once', () => {
    const routers = [
      { service: 'router-b', port: 17447 },
      { service: 'router-a', port: 17447 },
    ]
    const { world } = play(looking(available, { routers }))
    expect(statusOf(world).routers?.map(({ service }) => service)).toEqual(['router-a', 'router-b'])
    const turned = play(looking(world, { routers: routers.toReversed() }))
    expect(statusOf(turned.world)).toBe(statusOf(world))
  })
})

describe('a child that is missing', () => {
  it('is made again at once, and only that one', () => {
    const healed = play(without(available, SERVICE))
    expect(tried(healed)).toEqual(['apply Service/cart--checkout'])
    expect(statusOf(healed.world).phase).toBe('available')
  })

  it('makes it progress, not degraded, until it is ready again', () => {
    const healed = play(without(available, DEPLOYMENT))
    expect(tried(healed)).toEqual(['apply Deployment/cart--checkout'])
    expect(statusOf(healed.world).phase).toBe('progressing')
  })

  it('is degraded/ChildMissing when it is still missing after the timeout', () => {
    const refuse = on('apply Deployment/cart--checkout', failure('KubeQuotaExceeded', true, 'exceeded quota: pods'))
    const first = play(without(available, DEPLOYMENT), SETTINGS, refuse)
    expect(statusOf(first.world)).toMatchObject({ phase: 'applying' })
    expect(trueConditions(first.world)).toEqual(['Progressing/KubeQuotaExceeded'])
    const second = play(later(first.world, 600_000), SETTINGS, refuse)
    expect(tried(second)).toEqual(['apply Deployment/cart--checkout'])
    expect(statusOf(second.world)).toMatchObject({
      phase: 'degraded',
      message:
        'expected Deployment/cart--checkout not found within 600 s: Deployment/cart--checkout: exceeded quota: pods',
      functions: [{ ready: false, reason: 'KubeQuotaExceeded' }],
    })
    expect(trueConditions(second.world)).toEqual(['Degraded/ChildMissing'])
  })

  it('is waited for while the old one is being deleted', () => {
    const going = withChild(available, DEPLOYMENT, (child) => ({ ...child, deleting: true }))
    const waiting = play(going)
    expect(tried(waiting)).toEqual([])
    expect(statusOf(waiting.world)).toMatchObject({
      phase: 'progressing',
      functions: [{ reason: 'ChildMissing', message: expect.stringContaining('is being deleted') as string }],
    })
    expect(tried(play(without(waiting.world, DEPLOYMENT)))).toEqual(['apply Deployment/cart--checkout'])
  })
})

describe('time', () => {
  it('is up after the timeout: degraded/Timeout, with the child and the container in the message', () => {
    const stuck = looking(applied, {
      pods: [pod({ waiting: 'ImagePullBackOff', message: 'Back-off pulling image "checkout:1"' })],
    })
    const before = play(rolledOut(stuck, () => 0)).world
    expect(statusOf(before)).toMatchObject({ phase: 'progressing', functions: [{ reason: 'ImagePullBackOff' }] })
    const { world, decision } = play(later(before, 600_000))
    expect(trueConditions(world)).toEqual(['Degraded/Timeout'])
    expect(statusOf(world).message).toBe(
      'readiness not achieved within 600 s: Deployment/cart--checkout: 0 of 1 replicas available; ' +
        'container function of pod cart--checkout-1 cannot start (ImagePullBackOff): Back-off pulling image "checkout:1"',
    )
    expect(decision.notices).toMatchObject([{ type: 'Warning', reason: 'Timeout' }])
  })

  it('stays up while nothing is ready, and ends with being ready', () => {
    const late = play(
      later(
        rolledOut(applied, () => 0),
        600_000,
      ),
    ).world
    expect(statusOf(play(later(late, 1_000)).world)).toBe(statusOf(late))
    expect(statusOf(play(rolledOut(late)).world).phase).toBe('available')
  })

  it('starts anew with a generation', () => {
    const late = play(
      later(
        rolledOut(applied, () => 0),
        600_000,
      ),
    ).world
    const { world } = play(rewritten(late, { ...SPEC, functions: [fn('checkout', 'checkout:2')] }))
    expect(statusOf(world).phase).toBe('progressing')
    expect(conditionOf(statusOf(world), 'Progressing')?.lastTransitionTime).toBe('2030-01-01T00:10:00Z')
    const again = play(later(rewritten(world, { ...SPEC, functions: [fn('checkout', 'checkout:3')] }), 500_000)).world
    expect(conditionOf(statusOf(again), 'Progressing')?.lastTransitionTime).toBe('2030-01-01T00:18:20Z')
    expect(statusOf(play(later(again, 599_000)).world).phase).toBe('progressing')
  })

  it.each([
    [0, 5_000],
    [60_000, 15_000],
    [1_000_000, 60_000],
  ])('looks at what has been degraded for %i ms again after %i ms', (age, afterMs) => {
    const late = play(
      later(
        rolledOut(applied, () => 0),
        600_000,
      ),
    ).world
    expect(play(later(late, age)).decision.checkAgain?.afterMs).toBe(afterMs)
  })
})
