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
  stageOf,
  withChild,
  type Fate,
  type Stage,
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
  play(rolledOut(play(stageOf(of), settings).stage), settings).stage

function recommended(stage: Stage, value: number, key = 'replicas/checkout'): Stage {
  const { runtime } = stage.seen
  const at = new Date(stage.now).toISOString()
  const status = { ...runtime.status, nfr_recommendations: { [key]: { value, at, confidence: 1, basis: '300 rps' } } }
  return looking(stage, { runtime: { ...runtime, status } })
}

const replicasOf = ({ seen }: Stage): number | undefined =>
  (seen.children.find(({ kind }) => kind === DEPLOYMENT.kind)?.object as Deployment | undefined)?.spec.replicas
const MARK = 'oaas.io/enforced-replicas'
const marksOf = ({ seen }: Stage): string[] =>
  seen.children.flatMap(({ object }) =>
    Object.keys(object.metadata.annotations ?? {}).filter((name) => name.startsWith('oaas.io/enforced-')),
  )
const stateOf = (stage: Stage) => statusOf(stage).nfr_state?.['replicas/checkout']
const enforcedBy = (stage: Stage) => conditionOf(statusOf(stage), 'NfrEnforced')
const reasons = ({
  decision,
}: {
  readonly decision: { readonly notices: ReadonlyArray<{ readonly reason: string }> }
}) => decision.notices.map(({ reason }) => reason)

const waiting = play(recommended(ready(spec('enforce')), 3))
const applied = play(later(waiting.stage, stabilityMs))

describe('a recommendation', () => {
  it('waits until it has been wanted long enough, and says so once', () => {
    expect(tried(waiting)).toEqual([])
    expect(waiting.decision).toMatchObject({ phase: 'available', checkAgain: { afterMs: stabilityMs } })
    expect(reasons(waiting)).toEqual(['NFRSkippedStability'])
    expect(enforcedBy(waiting.stage)).toMatchObject({ status: 'False', reason: 'WaitingForStability' })
    expect(reasons(play(later(waiting.stage, 60_000)))).toEqual([])
  })

  it('is put into effect then, at the Deployment, and the replicas are the enforcer’s from there on', () => {
    expect(tried(applied)).toEqual(['enforce Deployment/cart--checkout', 'apply Deployment/cart--checkout'])
    expect(applied.done[0]?.action).toMatchObject({ path: 'deployment', from: 1, to: 3, basis: '300 rps' })
    expect(applied.done[1]?.action).toMatchObject({ child: { handed: ['replicas'] }, from: { name: 'cart--checkout' } })
    expect(replicasOf(applied.stage)).toBe(3)
    expect(reasons(applied)).toContain('NFRApplied')
    expect(statusOf(applied.stage)).toMatchObject({
      phase: 'progressing',
      last_applied_at: '2030-01-01T00:03:00Z',
      last_applied_recommendations: [
        { component: 'function', function_key: 'checkout', dimension: 'replicas', target: 3, basis: '300 rps' },
      ],
    })
    expect(enforcedBy(applied.stage)).toMatchObject({ status: 'True', reason: 'Applied' })
    const settled = play(rolledOut(applied.stage)).stage
    expect(statusOf(settled).phase).toBe('available')
    expect(tried(play(later(settled, 60_000)))).toEqual([])
  })

  it('waits for the cooldown before the next one', () => {
    const next = play(recommended(later(rolledOut(applied.stage), 1_000), 9))
    expect(tried(next)).toEqual([])
    expect(reasons(next)).toContain('NFRSkippedCooldown')
    expect(tried(play(later(next.stage, stabilityMs + cooldownMs)))).toEqual(['enforce Deployment/cart--checkout'])
  })

  it('is not put into effect while something is not ready', () => {
    const { stage } = play(rolledOut(later(waiting.stage, stabilityMs), () => 0))
    expect(replicasOf(stage)).toBe(1)
    expect(stateOf(stage)).toBe(stateOf(waiting.stage))
  })

  it('is clamped to what the function allows, and says so', () => {
    const limited = { function_key: 'checkout', provision_config: { container_image: 'a', max_scale: 2 } }
    const { stage } = play(recommended(ready(spec('enforce', { functions: [limited] })), 9))
    const run = play(later(stage, stabilityMs))
    expect(replicasOf(run.stage)).toBe(2)
    expect(reasons(run)).toContain('NFRClampedMax')
  })

  it('of the whole class counts for every function that has none of its own', () => {
    const stage = ready(spec('enforce', { functions: [fn('checkout'), fn('pay')] }))
    const run = play(later(play(recommended(stage, 3, 'replicas')).stage, stabilityMs))
    expect(tried(run).filter((text) => text.startsWith('enforce'))).toEqual([
      'enforce Deployment/cart--checkout',
      'enforce Deployment/cart--pay',
    ])
  })

  it('waits when the whole cluster has seen enough changes', () => {
    const recent = { enforcements: SETTINGS.nfr.budget.changes, orphans: 0 }
    const run = play(looking(later(waiting.stage, stabilityMs), { recent }))
    expect(tried(run)).toEqual([])
    expect(enforcedBy(run.stage)?.reason).toBe('WaitingForBudget')
  })

  it('goes to the autoscaler where there is one, within what that one allows', () => {
    const scaled = { function_key: 'checkout', provision_config: { container_image: 'a', min_scale: 1, max_scale: 4 } }
    const settings = { ...SETTINGS, render: { ...SETTINGS.render, hpa: true } }
    const stage = ready(spec('enforce', { functions: [scaled] }), settings)
    const run = play(later(play(recommended(stage, 9), settings).stage, stabilityMs), settings)
    const actions = run.done.map(({ action }) => action)
    expect(actions[0]).toMatchObject({ path: 'hpa', child: { kind: 'HorizontalPodAutoscaler' }, from: 1, to: 4 })
    expect(run.stage.seen.autoscalers).toMatchObject([{ minReplicas: 4 }])
  })
})

describe('requests beside an autoscaler', () => {
  const sized = { function_key: 'checkout', provision_config: { container_image: 'a', cpu_request: '100m' } }
  const wish = (mode: Mode, dimension: Dimension) =>
    spec(mode, { functions: [sized], enforcement: { mode, dimensions: [dimension] } })
  const theirs = { name: 'theirs', target: 'cart--checkout', minReplicas: 1, maxReplicas: 9, isOurs: false }
  const recommendedTo = (stage: Stage, dimension: Dimension) =>
    play(later(play(recommended(stage, 2 ** 30, `${dimension}/checkout`)).stage, stabilityMs))
  const beside = (
    utilization: ObservedAutoscaler['utilization'],
    mode: Mode = 'enforce',
    dimension: Dimension = 'cpu',
  ) =>
    recommendedTo(
      play(looking(ready(wish(mode, dimension)), { autoscalers: [{ ...theirs, ...(utilization && { utilization }) }] }))
        .stage,
      dimension,
    )

  it.each(['enforce', 'observe'] as const)('are left alone in mode %s when it measures a share of them', (mode) => {
    const run = beside(['cpu'], mode)
    expect(tried(run)).toEqual([])
    const message =
      'cpu/checkout: the request is left alone: HorizontalPodAutoscaler theirs measures cpu as a share of it'
    expect(enforcedBy(run.stage)).toMatchObject({ status: 'False', reason: 'MeasuredByAutoscaler', message })
    expect(statusOf(run.stage).phase).toBe('available')
    expect(explain(run.stage.seen, SETTINGS, run.stage.now).why).toContain(
      `recommendations: ${message} (MeasuredByAutoscaler)`,
    )
  })

  it('say so once', () => {
    const stage = play(looking(ready(wish('enforce', 'cpu')), { autoscalers: [{ ...theirs, utilization: ['cpu'] }] }))
    const first = play(recommended(stage.stage, 2 ** 30, 'cpu/checkout'))
    expect(reasons(first)).toEqual(['NFRSkippedAutoscaler'])
    expect(reasons(play(later(first.stage, stabilityMs)))).toEqual([])
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
    const { stage } = play(recommended(ready(both, settings), 400, 'cpu/checkout'), settings)
    expect(enforcedBy(stage)).toMatchObject({ reason: 'MeasuredByAutoscaler' })
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
  const applyOf = (stage: Stage) => play(stage).done.map(({ action }) => action)
  const rendering = (handed: readonly string[], requests: object) => ({
    handed,
    object: { spec: { template: { spec: { containers: [{ resources: { requests } }] } } } },
  })

  it.each([
    [MEMORY, { cpu_request: '300m', memory_request: '96Mi' }, rendering(['memory'], { cpu: '300m' })],
    [CPU, { cpu_request: '300m', memory_request: '96Mi' }, rendering(['cpu'], { memory: '96Mi' })],
  ])('with %s leaves the other one to the spec', (mark, provision, child) => {
    const { stage } = play(marked({ [mark]: '1' }))
    const actions = applyOf(rewritten(rolledOut(stage), sized(provision)))
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
    const stage = marked(annotations, of)
    const actions = applyOf(stage)
    expect(actions).toMatchObject([{ do: 'apply', child, ...back }])
    expect(Object.keys(actions[0] ?? {})).not.toContain('from')
    expect('back' in (actions[0] ?? {})).toBe('back' in back)
    expect(tried(play(rolledOut(play(stage).stage)))).toEqual([])
  })
})

describe('mode', () => {
  it('observe says what it would have done, and does nothing', () => {
    const seen = play(recommended(ready(spec('observe')), 3))
    const run = play(later(seen.stage, stabilityMs))
    expect(tried(run)).toEqual([])
    expect(run.decision.notices).toMatchObject([
      {
        reason: 'NFRObserved',
        note: expect.stringContaining('1 replica → 3 replicas would have been applied') as string,
      },
    ])
    expect(statusOf(run.stage).phase).toBe('available')
    expect(statusOf(run.stage)).not.toHaveProperty('last_applied_recommendations')
  })

  it.each([
    ['observe', spec('observe')],
    ['off', spec('off')],
    ['enforce for others alone', spec('enforce', { enforcement: { mode: 'enforce', dimensions: ['memory'] } })],
  ])('%s gives back what was enforced, and leaves no mark of it', (_, changed) => {
    const run = play(rewritten(rolledOut(applied.stage), changed))
    expect(run.done.map(({ action }) => action)).toMatchObject([{ do: 'apply', child: DEPLOYMENT, back: ['replicas'] }])
    expect(replicasOf(run.stage)).toBe(1)
    expect(marksOf(run.stage)).toEqual([])
    expect(tried(play(rolledOut(run.stage)))).toEqual([])
  })

  it('off goes on with giving back when it was stopped before the mark was gone', () => {
    const { stage } = play(rewritten(rolledOut(applied.stage), spec('off')))
    const marked = withChild(stage, DEPLOYMENT, edited({ metadata: { annotations: { [MARK]: '3' } } }))
    const run = play(marked)
    expect(tried(run)).toEqual(['apply Deployment/cart--checkout'])
    expect(marksOf(run.stage)).toEqual([])
  })

  it('off gives an autoscaler of somebody else back, and tries again when that fails', () => {
    const theirs = { name: 'theirs', target: 'cart--checkout', minReplicas: 3, maxReplicas: 9, isOurs: false }
    const stage = play(looking(ready(spec('enforce')), { autoscalers: [{ ...theirs, isEnforced: true }] })).stage
    expect(tried(play(rolledOut(stage)))).toEqual([])
    const off = rewritten(rolledOut(stage), spec('off'))
    const what = 'handBack HorizontalPodAutoscaler/theirs'
    const failed = play(off, SETTINGS, on(what, failure('KubeUnreachable', true)))
    expect(tried(failed)).toEqual([what])
    expect(failed.decision.checkAgain?.afterMs).toBe(30_000)
    const run = play(failed.stage)
    expect(tried(run)).toEqual([what])
    expect(tried(play(run.stage))).toEqual([])
  })

  it('off forgets everything, and the controller sets the field again', () => {
    const run = play(rewritten(rolledOut(applied.stage), spec('off')))
    const settled = play(rolledOut(run.stage)).stage
    expect(statusOf(settled)).not.toHaveProperty('nfr_state')
    expect(enforcedBy(settled)).toBeUndefined()
  })
})

describe('an enforcement that fails', () => {
  const failing =
    (code: string, over: object = {}): Fate =>
    (action) =>
      action.do === 'enforce' ? { ...failure(code, true, 'it went wrong'), ...over } : undefined
  const failed = (fate: Fate) => play(later(waiting.stage, stabilityMs), SETTINGS, fate)

  it.each([
    ['RuntimeEnforceFailed', {}, 'EnforceFailed'],
    ['RuntimeEnforceFallbackFailed', {}, 'EnforceFallbackFailed'],
    ['KubeUnreachable', {}, 'EnforceFailed'],
    ['KubeInvalid', { retryable: false }, 'EnforceInvalid'],
    ['KubeFieldConflict', { conflicts: [{ manager: 'keda', field: '.spec.replicas' }] }, 'EnforceConflict'],
  ])('with %s %o is degraded/%s', (code, over, reason) => {
    const run = failed(failing(code, over))
    expect(trueConditions(run.stage)).toEqual([`Degraded/${reason}`])
    expect(enforcedBy(run.stage)).toMatchObject({ status: 'False', reason })
    expect(reasons(run)).toEqual([reason, 'NFRApplyFailed'])
    expect(stateOf(run.stage)?.failure).toMatchObject({ reason, count: 1, retry_at: '2030-01-01T00:03:10Z' })
  })

  it('is tried again with growing pauses, and forgotten when it succeeds', () => {
    const { stage } = failed(failing('RuntimeEnforceFailed'))
    expect(tried(play(later(stage, 5_000)))).toEqual([])
    const again = play(later(stage, 10_000), SETTINGS, failing('RuntimeEnforceFailed'))
    expect(stateOf(again.stage)?.failure).toMatchObject({ count: 2, retry_at: '2030-01-01T00:03:30Z' })
    const done = play(rolledOut(play(later(again.stage, 20_000)).stage)).stage
    expect(statusOf(done).phase).toBe('available')
    expect(stateOf(done)).not.toHaveProperty('failure')
  })

  it.each([
    ['the recommendation is what there is', (stage: Stage) => recommended(stage, 1)],
    ['the mode is off', (stage: Stage) => rewritten(stage, spec('off'))],
  ])('is over when %s', (_, change) => {
    const { stage } = play(change(failed(failing('RuntimeEnforceFailed')).stage))
    expect(statusOf(stage).phase).toBe('available')
  })

  it('because somebody else holds the target is no failure', () => {
    const run = failed(failing('RuntimeTargetLocked'))
    expect(statusOf(run.stage).phase).toBe('available')
    expect(stateOf(run.stage)).toBe(stateOf(waiting.stage))
    expect(run.decision.checkAgain?.afterMs).toBe(5_000)
    expect(play(run.stage).done[0]?.action).toMatchObject({ do: 'enforce', to: 3 })
  })
})

describe('an autoscaler of somebody else', () => {
  it('gets the replicas handed over once, with the value that is live', () => {
    const stage = ready(spec('off'))
    const autoscalers = [{ name: 'theirs', target: 'cart--checkout', minReplicas: 2, maxReplicas: 9, isOurs: false }]
    const run = play(looking(stage, { autoscalers }))
    expect(run.done.map(({ action }) => action)).toMatchObject([
      { do: 'apply', child: { handed: ['replicas'] }, from: { kind: 'Deployment' } },
    ])
    expect(replicasOf(run.stage)).toBe(1)
    expect(tried(play(run.stage))).toEqual([])
  })
})
