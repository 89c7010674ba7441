import { describe, expect, it } from 'vitest'
import { decide } from './decide.ts'
import { available, DEPLOYMENT, fn, on, SPEC, statusOf, tried, trueConditions } from './fake/cart.ts'
import {
  deleted,
  failure,
  later,
  looking,
  play,
  rewritten,
  rolledOut,
  SETTINGS,
  worldOf,
  START,
  withChild,
  without,
} from './fake/world.ts'
import { FINALIZER } from './types.ts'

describe('what is not wanted any more', () => {
  const two = play(rolledOut(play(worldOf({ ...SPEC, functions: [fn('checkout'), fn('pay')] })).world)).world

  it('is deleted when its function is, with an event and without degrading', () => {
    const { world, done, decision } = play(rewritten(two, SPEC))
    expect(tried({ done })).toEqual(['delete Deployment/cart--pay', 'delete Service/cart--pay'])
    expect(statusOf(world)).toMatchObject({ phase: 'available', functions_ready: '1/1' })
    expect(decision.notices).toContainEqual(expect.objectContaining({ type: 'Normal', reason: 'Orphaned' }))
  })

  it('is replaced when a function is renamed, and reordering renames nothing', () => {
    expect(tried(play(rewritten(two, { ...SPEC, functions: [fn('pay'), fn('checkout')] })))).toEqual([])
    expect(tried(play(rewritten(two, { ...SPEC, functions: [fn('checkout'), fn('bill')] })))).toEqual([
      'apply Deployment/cart--bill',
      'apply Service/cart--bill',
      'delete Deployment/cart--pay',
      'delete Service/cart--pay',
    ])
  })

  it('goes with the template that made it', () => {
    const served = [...two.seen.served, 'KnativeService' as const]
    const { done } = play(rewritten(looking(available, { served }), { ...SPEC, selected_template: 'knative' }))
    expect(tried({ done })).toEqual([
      'apply KnativeService/cart--checkout',
      'delete Deployment/cart--checkout',
      'delete Service/cart--checkout',
    ])
  })

  it('stays for now when the cluster has seen too many deletions', () => {
    const busy = looking(rewritten(two, SPEC), { recent: { enforcements: 0, orphans: 29 } })
    const { decision, done } = play(busy, { ...SETTINGS, orphansPerMinute: 29 })
    expect(done).toEqual([])
    expect(decision).toMatchObject({ phase: 'available', checkAgain: { afterMs: 30_000 } })
    expect(decision.notices).toMatchObject([{ type: 'Warning', reason: 'OrphansHeld' }])
  })

  it('does not degrade it by staying', () => {
    const refuse = on('delete Service/cart--pay', failure('KubeForbidden', true, 'no delete'))
    const { world, decision } = play(rewritten(two, SPEC), SETTINGS, refuse)
    expect(statusOf(world).phase).toBe('available')
    expect(decision.checkAgain?.afterMs).toBe(30_000)
  })
})

describe('deletion', () => {
  it('deletes every child, then the finalizer, in one run when nothing holds them back', () => {
    const { world, done } = play(deleted(available))
    expect(tried({ done })).toEqual([
      'delete Deployment/cart--checkout',
      'delete Service/cart--checkout',
      'removeFinalizer',
    ])
    expect(world.seen.runtime.metadata.finalizers).toEqual([])
  })

  it('waits for the last child, saying which one when it takes long', () => {
    const held = withChild(deleted(available), DEPLOYMENT, (child) => ({ ...child, deleting: true }))
    const { world, done } = play(held)
    expect(tried({ done })).toEqual(['delete Service/cart--checkout'])
    expect(statusOf(world)).toMatchObject({ phase: 'deleting', message: 'its children are being deleted' })
    expect(trueConditions(world)).toEqual([])
    expect(statusOf(play(later(world, 31_000)).world).message).toBe('waiting for Deployment/cart--checkout to go')
    expect(tried(play(without(world, DEPLOYMENT)))).toEqual(['removeFinalizer'])
  })

  it('tries again when a deletion fails', () => {
    const refuse = on('delete Service/cart--checkout', failure('KubeUnreachable', true, 'connection refused'))
    const { decision, world } = play(deleted(available), SETTINGS, refuse)
    expect(decision.checkAgain).toEqual({ afterMs: 5_000, because: 'Service/cart--checkout: connection refused' })
    expect(tried(play(world))).toEqual(['delete Service/cart--checkout', 'removeFinalizer'])
  })

  it('does not depend on the spec, which may be broken or of another template by now', () => {
    const { runtime } = available.seen
    const broken = looking(deleted(available), {})
    const spec = { selected_template: 'vm', functions: [fn('checkout', '')] }
    const world = looking(broken, {
      runtime: { ...broken.seen.runtime, spec, metadata: { ...broken.seen.runtime.metadata } },
    })
    expect(runtime.metadata.finalizers).toEqual([FINALIZER])
    expect(tried(play(world))).toEqual([
      'delete Deployment/cart--checkout',
      'delete Service/cart--checkout',
      'removeFinalizer',
    ])
  })

  it('leaves alone what waits for somebody else’s finalizer', () => {
    const { runtime } = deleted(available).seen
    const seen = { ...available.seen, runtime: { ...runtime, metadata: { ...runtime.metadata, finalizers: ['x/y'] } } }
    expect(decide(seen, SETTINGS, START)).toMatchObject({ phase: 'deleting', actions: [] })
  })
})
