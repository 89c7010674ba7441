import { describe, expect, it } from 'vitest'
import { decide } from './decide.ts'
import { applied, available, fn, on, pod, SPEC, statusOf, tried, trueConditions } from './fake/cart.ts'
import { failure, later, looking, play, rewritten, rolledOut, SETTINGS, worldOf, START } from './fake/world.ts'
import { FORCE_ANNOTATION } from './types.ts'

describe('a crash loop', () => {
  const crash = pod({
    waiting: 'CrashLoopBackOff',
    restarts: 4,
    lastExit: { reason: 'Error', exitCode: 2, message: 'no such table: carts' },
  })
  const crashing = play(
    looking(
      rolledOut(applied, () => 0),
      { pods: [crash] },
    ),
  ).world

  it('is degraded/CrashLoop at once, naming pod, container, restarts and last words', () => {
    expect(trueConditions(crashing)).toEqual(['Degraded/CrashLoop'])
    const message =
      'container function of pod cart--checkout-1 crashed and was restarted 4 times, last with exit code 2 (Error): no such table: carts'
    expect(statusOf(crashing)).toMatchObject({ message, functions: [{ reason: 'CrashLoop', message }] })
  })

  it('degrades what was available', () => {
    const { world } = play(looking(available, { pods: [crash] }))
    expect(statusOf(world).phase).toBe('degraded')
  })

  it('goes on while the container only runs for a moment, and ends when it has run for long enough', () => {
    const running = pod({ ready: true, restarts: 5, startedAt: START + 10_000 })
    const young = play(looking(rolledOut(later(crashing, 15_000)), { pods: [running] })).world
    expect(trueConditions(young)).toEqual(['Degraded/CrashLoop'])
    const old = play(looking(later(young, 60_000), { pods: [running] })).world
    expect(statusOf(old).phase).toBe('available')
  })

  it('ends with the pod', () => {
    expect(statusOf(play(looking(crashing, { pods: [] })).world).phase).toBe('progressing')
    expect(statusOf(play(looking(crashing, { pods: [{ ...crash, deleting: true }] })).world).phase).toBe('progressing')
  })

  it('is none in a pod that its workload has left behind, whatever was before', () => {
    const old = { ...crash, isSuperseded: true } as const
    const { world } = play(looking(crashing, { pods: [old, pod({ waiting: 'ContainerCreating' })] }))
    expect(statusOf(world)).toMatchObject({ phase: 'progressing', functions: [{ reason: 'NotReady' }] })
    expect(statusOf(play(looking(available, { pods: [old] })).world).phase).toBe('available')
    const both = play(looking(crashing, { pods: [{ ...old, name: 'old' }, crash] })).world
    expect(statusOf(both)).toMatchObject({ phase: 'degraded', message: expect.stringContaining(crash.name) as string })
  })

  it('is not explained by why an old pod does not start', () => {
    const old = pod({ waiting: 'ImagePullBackOff' }, { isSuperseded: true })
    const { world } = play(
      looking(
        rolledOut(applied, () => 0),
        { pods: [old] },
      ),
    )
    expect(statusOf(world).message).toBe('waiting for Deployment/cart--checkout')
  })

  it('is no crash loop to have restarted once upon a time', () => {
    const { world } = play(looking(available, { pods: [pod({ ready: true, restarts: 7, startedAt: START })] }))
    expect(statusOf(world).phase).toBe('available')
  })
})

describe('what cannot be applied', () => {
  const conflict = {
    ...failure('KubeFieldConflict', true),
    conflicts: [{ manager: 'kubectl', field: '.spec.replicas' }],
  }
  const changed = rewritten(available, { ...SPEC, functions: [fn('checkout', 'checkout:2')] })

  it('is degraded/Conflict, naming the other manager and the field, until an apply succeeds', () => {
    const refused = play(changed, SETTINGS, on('apply Deployment/cart--checkout', conflict))
    expect(trueConditions(refused.world)).toEqual(['Degraded/Conflict'])
    const message = 'field manager conflict applying Deployment/cart--checkout: kubectl owns .spec.replicas'
    expect(statusOf(refused.world)).toMatchObject({ message, functions: [{ reason: 'Conflict', message }] })
    const again = play(later(refused.world, 5_000), SETTINGS, on('apply Deployment/cart--checkout', conflict))
    expect(statusOf(again.world)).toBe(statusOf(refused.world))
    expect(statusOf(play(again.world).world).phase).toBe('progressing')
  })

  it('is taken over with the annotation, unless that says false', () => {
    const force = (value: string) => {
      const { runtime } = changed.seen
      const metadata = { ...runtime.metadata, annotations: { [FORCE_ANNOTATION]: value } }
      return decide({ ...changed.seen, runtime: { ...runtime, metadata } }, SETTINGS, START).actions
    }
    expect(force('true')).toMatchObject([{ do: 'apply', force: true }])
    expect(force('false')).toMatchObject([{ do: 'apply', force: false }])
  })

  it('is degraded/ApplyInvalid when the server refuses it, and the other children are applied', () => {
    const invalid = failure('KubeInvalid', false, 'Deployment.apps "cart--checkout" is invalid: spec.x: no')
    const refused = play(worldOf(SPEC), SETTINGS, on('apply Deployment/cart--checkout', invalid))
    expect(tried(refused)).toContain('apply Service/cart--checkout')
    expect(trueConditions(refused.world)).toEqual(['Degraded/ApplyInvalid'])
    expect(statusOf(refused.world).message).toContain('spec.x: no')
  })

  it('is degraded/ApplyInvalid naming the field of the spec, and keeps what runs', () => {
    const broken = rewritten(available, { ...SPEC, functions: [fn('checkout', ''), fn('pay')] })
    const { world, done } = play(broken)
    expect(tried({ done })).toEqual(['apply Deployment/cart--pay', 'apply Service/cart--pay'])
    expect(trueConditions(world)).toEqual(['Degraded/ApplyInvalid'])
    expect(statusOf(world).message).toContain('spec.functions[0].provision_config.container_image: ')
    expect(statusOf(world).functions).toMatchObject([{ reason: 'ApplyInvalid' }, { reason: 'NotReady' }])
  })

  it('is degraded/TemplateUnknown for a template that does not exist, and touches nothing', () => {
    const { world, done } = play(rewritten(available, { ...SPEC, selected_template: 'vm' }))
    expect(done).toEqual([])
    expect(trueConditions(world)).toEqual(['Degraded/TemplateUnknown'])
    expect(statusOf(world).message).toContain('spec.selected_template: unknown template "vm"')
    expect(statusOf(world).functions_ready).toBe('1/1')
    expect(statusOf(play(rewritten(world, SPEC)).world).phase).toBe('available')
  })

  it('is applying while the target is locked by somebody else', () => {
    const locked = failure('RuntimeTargetLocked', true, 'Deployment cart--checkout is held by apps until noon')
    const { world, decision } = play(changed, SETTINGS, on('apply Deployment/cart--checkout', locked))
    expect(trueConditions(world)).toEqual(['Progressing/TargetLocked'])
    expect(statusOf(world)).toMatchObject({
      phase: 'applying',
      message: expect.stringContaining('held by apps') as string,
    })
    expect(decision.checkAgain?.afterMs).toBe(1_000)
  })
})
