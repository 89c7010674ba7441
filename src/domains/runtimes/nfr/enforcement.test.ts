import { describe, expect, it } from 'vitest'
import type { Deployment } from '../../../kube/index.ts'
import type { ClassRuntimeSpec, Dimension, FunctionSpec, Mode } from '../class-runtime.ts'
import { explain } from '../explain.ts'
import { DEPLOYMENT, fn, on, statusOf, tried, trueConditions } from '../fake/cart.ts'
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
  type Fate,
  type World,
} from '../fake/world.ts'
import { conditionOf } from '../judge/phase.ts'
import type { ObservedAutoscaler } from '../types.ts'

const spec = (mode: Mode, over: Partial<ClassRuntimeSpec> = {}): ClassRuntimeSpec => ({
  selected_template: 'k8s_deployment',
  addons: [],
  functions: [fn('checkout')],
  enforcement: { mode },
  ...over,
})
const { stabilityMs, cooldownMs } = SETTINGS.nfr
const ready = (of: ClassRuntimeSpec, settings = SETTINGS) =>
  play(rolledOut(play(worldOf(of), settings).world), settings).world

function recommended(world: World, value: number, key = 'replicas/checkout'): World {
  const { runtime } = world.seen
  const at = new Date(world.now).toISOString()
  const status = { ...runtime.status, nfr_recommendations: { [key]: { value, at, confidence: 1, basis: '300 rps' } } }
  return looking(world, { runtime: { ...runtime, status } })
}

const replicasOf = ({ seen }: World): number | undefined =>
  (seen.children.find(({ kind }) => kind === DEPLOYMENT.kind)?.object as Deployment | undefined)?.spec.replicas
const MARK = 'oaas.io/enforced-replicas'
const marksOf = ({ seen }: World): string[] =>
  seen.children.flatMap(({ object }) =>
    Object.keys(object.metadata.annotations ?? {}).filter((name) => name.startsWith('oaas.io/enforced-')),
  )
const stateOf = (world: World) => statusOf(world).nfr_state?.['replicas/checkout']
const enforcedBy = (world: World) => conditionOf(statusOf(world), 'NfrEnforced')
const reasons = ({
  decision,
}: {
  readonly decision: { readonly notices: ReadonlyArray<{ readonly reason: string }> }
}) => decision.notices.map(({ reason }) => reason)

const waiting = play(recommended(ready(spec('enforce')), 3))
const applied = play(later(waiting.world, stabilityMs))

describe('a recommendation', () => {
  it('waits until it has been wanted long enough, and says so once', () => {
    expect(tried(waiting)).toEqual([])
    expect(waiting.decision).toMatchObject({ phase: 'available', checkAgain: { afterMs: stabilityMs } })
    expect(reasons(waiting)).toEqual(['NFRSkippedStability'])
    expect(enforcedBy(waiting.world)).toMatchObject({ status: 'False', reason: 'WaitingForStability' })
    expect(reasons(play(later(waiting.world, 60_000)))).toEqual([])
  })

  it('is put into effect then, at the Deployment, and the replicas are the enforcer’s from there on', () => {
    expect(tried(applied)).toEqual(['enforce Deployment/cart--checkout', 'apply Deployment/cart--checkout'])
    expect(applied.done[0]?.action).toMatchObject({ path: 'deployment', from: 1, to: 3, basis: '300 rps' })
    expect(applied.done[1]?.action).toMatchObject({ child: { handed: ['replicas'] }, from: { name: 'cart--checkout' } })
    expect(replicasOf(applied.world)).toBe(3)
    expect(reasons(applied)).toContain('NFRApplied')
    expect(statusOf(applied.world)).toMatchObject({
      phase: 'progressing',
      last_applied_at: '2030-01-01T00:03:00Z',
      last_applied_recommendations: [
        { component: 'function', function_key: 'checkout', dimension: 'replicas', target: 3, basis: '300 rps' },
      ],
    })
    expect(enforcedBy(applied.world)).toMatchObject({ status: 'True', reason: 'Applied' })
    const settled = play(rolledOut(applied.world)).world
    expect(statusOf(settled).phase).toBe('available')
    expect(tried(play(later(settled, 60_000)))).toEqual([])
  })

  it('waits for the cooldown before the next one', () => {
    const next = play(recommended(later(rolledOut(applied.world), 1_000), 9))
    expect(tried(next)).toEqual([])
    expect(reasons(next)).toContain('NFRSkippedCooldown')
    expect(tried(play(later(next.world, stabilityMs + cooldownMs)))).toEqual(['enforce Deployment/cart--checkout'])
  })

  it('is not put into effect while something is not ready', () => {
    const { world } = play(rolledOut(later(waiting.world, stabilityMs), () => 0))
    expect(replicasOf(world)).toBe(1)
    expect(stateOf(world)).toBe(stateOf(waiting.world))
  })

  it('is clamped to what the function allows, and says so', () => {
    const limited = { function_key: 'checkout', provision_config: { container_image: 'a', max_scale: 2 } }
    const { world } = play(recommended(ready(spec('enforce', { functions: [limited] })), 9))
    const run = play(later(world, stabilityMs))
    expect(replicasOf(run.world)).toBe(2)
    expect(reasons(run)).toContain('NFRClampedMax')
  })

  it('of the whole class counts for every function that has none of its own', () => {
    const world = ready(spec('enforce', { functions: [fn('checkout'), fn('pay')] }))
    const run = play(later(play(recommended(world, 3, 'replicas')).world, stabilityMs))
    expect(tried(run).filter((text) => text.startsWith('enforce'))).toEqual([
      'enforce Deployment/cart--checkout',
      'enforce Deployment/cart--pay',
    ])
  })

  it('waits when the whole cluster has seen enough changes', () => {
    const recent = { enforcements: SETTINGS.nfr.budget.changes, orphans: 0 }
    const run = play(looking(later(waiting.world, stabilityMs), { recent }))
    expect(tried(run)).toEqual([])
    expect(enforcedBy(run.world)?.reason).toBe('WaitingForBudget')
  })

  it('goes to the autoscaler where there is one, within what that one allows', () => {
    const scaled = { function_key: 'checkout', provision_config: { container_image: 'a', min_scale: 1, max_scale: 4 } }
    const settings = { ...SETTINGS, render: { ...SETTINGS.render, hpa: true } }
    const world = ready(spec('enforce', { functions: [scaled] }), settings)
    const run = play(later(play(recommended(world, 9), settings).world, stabilityMs), settings)
    const actions = run.done.map(({ action }) => action)
    expect(actions[0]).toMatchObject({ path: 'hpa', child: { kind: 'HorizontalPodAutoscaler' }, from: 1, to: 4 })
    expect(run.world.seen.autoscalers).toMatchObject([{ minReplicas: 4 }])
  })
})

describe('requests beside an autoscaler', () => {
  const sized = { function_key: 'checkout', provision_config: { container_image: 'a', cpu_request: '100m' } }
  const input = (mode: Mode, dimension: Dimension) =>
    spec(mode, { functions: [sized], enforcement: { mode, dimensions: [dimension] } })
  const theirs = { name: 'theirs', target: 'cart--checkout', minReplicas: 1, maxReplicas: 9, isOurs: false }
  const recommendedTo = (world: World, dimension: Dimension) =>
    play(later(play(recommended(world, 2 ** 30, `${dimension}/checkout`)).world, stabilityMs))
  const beside = (
    utilization: ObservedAutoscaler['utilization'],
    mode: Mode = 'enforce',
    dimension: Dimension = 'cpu',
  ) =>
    recommendedTo(
      play(
        looking(ready(input(mode, dimension)), { autoscalers: [{ ...theirs, ...(utilization && { utilization }) }] }),
      ).world,
      dimension,
    )

  it.each(['enforce', 'observe'] as const)('are left alone in mode %s when it measures a share of them', (mode) => {
    const run = beside(['cpu'], mode)
    expect(tried(run)).toEqual([])
    const message =
      'cpu/checkout: the request is left alone: HorizontalPodAutoscaler theirs measures cpu as a share of it'
    expect(enforcedBy(run.world)).toMatchObject({ status: 'False', reason: 'MeasuredByAutoscaler', message })
    expect(statusOf(run.world).phase).toBe('available')
    expect(explain(run.world.seen, SETTINGS, run.world.now).why).toContain(
      `recommendations: ${message} (MeasuredByAutoscaler)`,
    )
  })

  it('say so once', () => {
    const world = play(looking(ready(input('enforce', 'cpu')), { autoscalers: [{ ...theirs, utilization: ['cpu'] }] }))
    const first = play(recommended(world.world, 2 ** 30, 'cpu/checkout'))
    expect(reasons(first)).toEqual(['NFRSkippedAutoscaler'])
    expect(reasons(play(later(first.world, stabilityMs)))).toEqual([])
  })

  it.each([
    ['cpu', 'nothing that is requested', []],
    ['cpu', 'a share of another', ['memory']],
    ['memory', 'a share of another', ['cpu']],
  ] as const)('of %s are enforced when it measures %s', (dimension, _, utilization) => {
    expect(tried(beside(utilization, 'enforce', dimension))[0]).toBe('enforce Deployment/cart--checkout')
  })

  it('are left alone for one of ours, which scales by 80 % of the cpu', () => {
    const scaled = { ...sized, provision_config: { ...sized.provision_config, min_scale: 1, max_scale: 4 } }
    const settings = { ...SETTINGS, render: { ...SETTINGS.render, hpa: true } }
    const both = spec('enforce', { functions: [scaled], enforcement: { mode: 'enforce', dimensions: ['cpu'] } })
    const { world } = play(recommended(ready(both, settings), 400, 'cpu/checkout'), settings)
    expect(enforcedBy(world)).toMatchObject({ reason: 'MeasuredByAutoscaler' })
  })
})

describe('a request that is enforced', () => {
  const MEMORY = 'oaas.io/enforced-memory'
  const CPU = 'oaas.io/enforced-cpu'
  const HANDED = 'oaas.io/handed-over'
  const sized = (
    provision: FunctionSpec['provision_config'] = {},
    dimensions: readonly Dimension[] = ['memory', 'cpu'],
  ) =>
    spec('enforce', {
      functions: [
        {
          function_key: 'checkout',
          provision_config: { container_image: 'a', cpu_request: '100m', memory_request: '64Mi', ...provision },
        },
      ],
      enforcement: { mode: 'enforce', dimensions: [...dimensions] },
    })
  const marked = (annotations: Readonly<Record<string, string>>, of = sized()) =>
    withChild(ready(of), DEPLOYMENT, edited({ metadata: { annotations } }))
  const applyOf = (world: World) => play(world).done.map(({ action }) => action)
  const rendering = (handed: readonly string[], requests: object) => ({
    handed,
    object: { spec: { template: { spec: { containers: [{ resources: { requests } }] } } } },
  })

  it.each([
    [MEMORY, { cpu_request: '300m', memory_request: '96Mi' }, rendering(['memory'], { cpu: '300m' })],
    [CPU, { cpu_request: '300m', memory_request: '96Mi' }, rendering(['cpu'], { memory: '96Mi' })],
  ])('with %s leaves the other one to the spec', (mark, provision, child) => {
    const { world } = play(marked({ [mark]: '1' }))
    const actions = applyOf(rewritten(rolledOut(world), sized(provision)))
    expect(actions).toMatchObject([{ do: 'apply', child }])
    expect(Object.keys(actions[0] ?? {})).not.toContain('back')
  })

  it.each<[what: string, marks: readonly string[], of: ClassRuntimeSpec, back: object, child: object]>([
    ['one goes back', [MEMORY], sized(), { back: ['cpu'] }, rendering(['memory'], { cpu: '100m' })],
    ['the other one goes back', [CPU], sized(), { back: ['memory'] }, rendering(['cpu'], { memory: '64Mi' })],
    ['both go back', [MEMORY], sized({}, ['replicas']), { back: ['memory', 'cpu'] }, { handed: [] }],
    ['both stay', [MEMORY, CPU], sized(), {}, { handed: ['memory', 'cpu'] }],
  ])('of which all was handed over as one: %s, once', (_, marks, of, back, child) => {
    const annotations = Object.fromEntries([[HANDED, 'resources'], ...marks.map((mark) => [mark, '1'])])
    const world = marked(annotations, of)
    const actions = applyOf(world)
    expect(actions).toMatchObject([{ do: 'apply', child, ...back }])
    expect(Object.keys(actions[0] ?? {})).not.toContain('from')
    expect('back' in (actions[0] ?? {})).toBe('back' in back)
    expect(tried(play(rolledOut(play(world).world)))).toEqual([])
  })
})

describe('mode', () => {
  it('observe says what it would have done, and does nothing', () => {
    const seen = play(recommended(ready(spec('observe')), 3))
    const run = play(later(seen.world, stabilityMs))
    expect(tried(run)).toEqual([])
    expect(run.decision.notices).toMatchObject([
      {
        reason: 'NFRObserved',
        note: expect.stringContaining('1 replica → 3 replicas would have been applied') as string,
      },
    ])
    expect(statusOf(run.world).phase).toBe('available')
    expect(statusOf(run.world)).not.toHaveProperty('last_applied_recommendations')
  })

  it.each([
    ['observe', spec('observe')],
    ['off', spec('off')],
    ['enforce for others alone', spec('enforce', { enforcement: { mode: 'enforce', dimensions: ['memory'] } })],
  ])('%s gives back what was enforced, and leaves no mark of it', (_, changed) => {
    const run = play(rewritten(rolledOut(applied.world), changed))
    expect(run.done.map(({ action }) => action)).toMatchObject([{ do: 'apply', child: DEPLOYMENT, back: ['replicas'] }])
    expect(replicasOf(run.world)).toBe(1)
    expect(marksOf(run.world)).toEqual([])
    expect(tried(play(rolledOut(run.world)))).toEqual([])
  })

  it('off goes on with giving back when it was stopped before the mark was gone', () => {
    const { world } = play(rewritten(rolledOut(applied.world), spec('off')))
    const marked = withChild(world, DEPLOYMENT, edited({ metadata: { annotations: { [MARK]: '3' } } }))
    const run = play(marked)
    expect(tried(run)).toEqual(['apply Deployment/cart--checkout'])
    expect(marksOf(run.world)).toEqual([])
  })

  it('off gives an autoscaler of somebody else back, and tries again when that fails', () => {
    const theirs = { name: 'theirs', target: 'cart--checkout', minReplicas: 3, maxReplicas: 9, isOurs: false }
    const world = play(looking(ready(spec('enforce')), { autoscalers: [{ ...theirs, isEnforced: true }] })).world
    expect(tried(play(rolledOut(world)))).toEqual([])
    const off = rewritten(rolledOut(world), spec('off'))
    const what = 'handBack HorizontalPodAutoscaler/theirs'
    const failed = play(off, SETTINGS, on(what, failure('KubeUnreachable', true)))
    expect(tried(failed)).toEqual([what])
    expect(failed.decision.checkAgain?.afterMs).toBe(30_000)
    const run = play(failed.world)
    expect(tried(run)).toEqual([what])
    expect(tried(play(run.world))).toEqual([])
  })

  it('off forgets everything, and the controller sets the field again', () => {
    const run = play(rewritten(rolledOut(applied.world), spec('off')))
    const settled = play(rolledOut(run.world)).world
    expect(statusOf(settled)).not.toHaveProperty('nfr_state')
    expect(enforcedBy(settled)).toBeUndefined()
  })
})

describe('an enforcement that fails', () => {
  const failing =
    (code: string, over: object = {}): Fate =>
    (action) =>
      action.do === 'enforce' ? { ...failure(code, true, 'it went wrong'), ...over } : undefined
  const failed = (fate: Fate) => play(later(waiting.world, stabilityMs), SETTINGS, fate)

  it.each([
    ['RuntimeEnforceFailed', {}, 'EnforceFailed'],
    ['RuntimeEnforceFallbackFailed', {}, 'EnforceFallbackFailed'],
    ['KubeUnreachable', {}, 'EnforceFailed'],
    ['KubeInvalid', { retryable: false }, 'EnforceInvalid'],
    ['KubeFieldConflict', { conflicts: [{ manager: 'keda', field: '.spec.replicas' }] }, 'EnforceConflict'],
  ])('with %s %o is degraded/%s', (code, over, reason) => {
    const run = failed(failing(code, over))
    expect(trueConditions(run.world)).toEqual([`Degraded/${reason}`])
    expect(enforcedBy(run.world)).toMatchObject({ status: 'False', reason })
    expect(reasons(run)).toEqual([reason, 'NFRApplyFailed'])
    expect(stateOf(run.world)?.failure).toMatchObject({ reason, count: 1, retry_at: '2030-01-01T00:03:10Z' })
  })

  it('is tried again with growing pauses, and forgotten when it succeeds', () => {
    const { world } = failed(failing('RuntimeEnforceFailed'))
    expect(tried(play(later(world, 5_000)))).toEqual([])
    const again = play(later(world, 10_000), SETTINGS, failing('RuntimeEnforceFailed'))
    expect(stateOf(again.world)?.failure).toMatchObject({ count: 2, retry_at: '2030-01-01T00:03:30Z' })
    const done = play(rolledOut(play(later(again.world, 20_000)).world)).world
    expect(statusOf(done).phase).toBe('available')
    expect(stateOf(done)).not.toHaveProperty('failure')
  })

  it.each([
    ['the recommendation is what there is', (world: World) => recommended(world, 1)],
    ['the mode is off', (world: World) => rewritten(world, spec('off'))],
  ])('is over when %s', (_, change) => {
    const { world } = play(change(failed(failing('RuntimeEnforceFailed')).world))
    expect(statusOf(world).phase).toBe('available')
  })

  it('because somebody else holds the target is no failure', () => {
    const run = failed(failing('RuntimeTargetLocked'))
    expect(statusOf(run.world).phase).toBe('available')
    expect(stateOf(run.world)).toBe(stateOf(waiting.world))
    expect(run.decision.checkAgain?.afterMs).toBe(5_000)
    expect(play(run.world).done[0]?.action).toMatchObject({ do: 'enforce', to: 3 })
  })
})

describe('an autoscaler of somebody else', () => {
  it('gets the replicas handed over once, with the value that is live', () => {
    const world = ready(spec('off'))
    const autoscalers = [{ name: 'theirs', target: 'cart--checkout', minReplicas: 2, maxReplicas: 9, isOurs: false }]
    const run = play(looking(world, { autoscalers }))
    expect(run.done.map(({ action }) => action)).toMatchObject([
      { do: 'apply', child: { handed: ['replicas'] }, from: { kind: 'Deployment' } },
    ])
    expect(replicasOf(run.world)).toBe(1)
    expect(tried(play(run.world))).toEqual([])
  })
})
