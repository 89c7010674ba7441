import { describe, expect, test } from 'vitest'
import type { NfrValueView, RuntimeChildView, RuntimeConditionView } from '../../lib/api/contract.ts'
import { exitText, replicasText, spokenFunction, spokenPod, worstFirst } from './children.ts'
import { deletionSteps } from './deletion.ts'
import { manifestForm, manifestOf, placesOf } from './manifest-form.ts'
import { appliedText, valueText, verdictOn, wantedFacts } from './nfr.ts'
import { packageSummary } from './package-words.ts'
import { templateText } from './preview.ts'
import { conditionTone, headline } from './status.ts'

describe('the headline of a runtime', () => {
  const row = {
    phase: 'available',
    generation: 2,
    observed_generation: 2,
    reason: 'Ready',
    message: 'all is ready',
  } as const

  test('is its phase with the message behind it', () => {
    expect(headline(row)).toEqual({ tone: 'good', word: 'Available', why: 'all is ready' })
    expect(headline({ ...row, phase: 'deleting' })).toMatchObject({ tone: 'wait', word: 'Being deleted' })
  })

  test('says that a change waits, and why it is degraded', () => {
    expect(headline({ ...row, generation: 3 })).toMatchObject({ tone: 'wait', word: 'Change waiting' })
    expect(headline({ ...row, phase: 'degraded', reason: 'CrashLoop' })).toEqual({
      tone: 'bad',
      word: 'Degraded',
      why: 'CrashLoop: all is ready',
    })
  })
})

test('that something is degraded is bad only when it holds', () => {
  expect([conditionTone('Degraded', 'True'), conditionTone('Degraded', 'False')]).toEqual(['bad', 'good'])
  expect([conditionTone('Available', 'False'), conditionTone('NfrEnforced', 'Unknown')]).toEqual(['wait', 'info'])
})

describe('children', () => {
  const child = (name: string, health: RuntimeChildView['health']): RuntimeChildView => ({
    id: `Deployment/${name}`,
    kind: 'Deployment',
    name,
    component: 'function',
    function_key: null,
    health,
    reason: null,
    message: '',
    replicas: null,
    created_at: null,
    pods: [],
  })

  test('in trouble stand first', () => {
    const all = [child('b', 'ready'), child('a', 'ready'), child('z', 'missing'), child('y', 'failing')]
    expect(worstFirst(all).map(({ name }) => name)).toEqual(['y', 'z', 'a', 'b'])
  })

  test('tell their replicas', () => {
    const replicas = { desired: 3, ready: 1, updated: 2 }
    expect(replicasText({ replicas, message: 'rolling out' })).toBe('1 of 3 ready, 2 up to date; rolling out')
    expect(replicasText({ replicas: null, message: 'is there' })).toBe('is there')
  })

  test('have pods in the words of Kubernetes, and containers with their last words', () => {
    const pod = { ready: false, phase: 'Running', reason: 'CrashLoopBackOff', deleting_since: null }
    expect(spokenPod(pod)).toEqual({ tone: 'bad', word: 'CrashLoopBackOff' })
    expect(spokenPod({ ...pod, reason: 'ContainersNotReady' })).toMatchObject({ tone: 'wait' })
    expect(spokenPod({ ...pod, deleting_since: 'now' }).word).toBe('Being deleted')
    expect(spokenFunction({ ready: false, reason: 'CrashLoop' })).toEqual({ tone: 'bad', word: 'CrashLoop' })
    expect(spokenFunction({ ready: false, reason: null })).toEqual({ tone: 'wait', word: 'Not ready' })
    expect(exitText({ reason: 'OOMKilled', exit_code: 137, message: '', at: null })).toBe(
      'last exit: OOMKilled, code 137',
    )
  })

  test('are counted while a deletion waits for them', () => {
    const since = '2026-11-15T10:00:00.000Z'
    expect(deletionSteps({ deleting_since: null, children: [] }, [])).toBeUndefined()
    const [first, second] =
      deletionSteps({ deleting_since: since, children: [child('a', 'deleting'), child('b', 'missing')] }, [
        'it waits',
      ]) ?? []
    expect(first).toMatchObject({ state: 'running', message: '1 object is left; it waits', started_at: since })
    expect(second).toMatchObject({ state: 'waiting' })
    expect(deletionSteps({ deleting_since: since, children: [] }, [])?.map(({ state }) => state)).toEqual([
      'done',
      'running',
    ])
  })
})

describe('what is done about a recommendation', () => {
  const NOW = Date.parse('2026-11-15T10:00:00.000Z')
  const value: NfrValueView = {
    function_key: 'add',
    dimension: 'memory',
    unit: 'bytes',
    enforced: true,
    live: 128 * 2 ** 20,
    recommended: { value: 192 * 2 ** 20, at: '2026-11-15T09:59:00.000Z', stale: false, confidence: 1, basis: 'x' },
    applied: null,
    target: null,
    target_since: null,
    cooldown_until: null,
    failure: null,
  }
  const told = (mode: 'observe' | 'enforce', message?: string) => {
    const said = { type: 'NfrEnforced', status: 'False', reason: 'x', since: null } as const
    const conditions: RuntimeConditionView[] = message === undefined ? [] : [{ ...said, message }]
    return { conditions, enforcement: { mode, dimensions: [], last_applied_at: null, history: [] } }
  }

  test('is in the words of the controller where it has spoken', () => {
    const message = 'memory/other: as recommended; memory/add: 128Mi → 192Mi once the last change has settled'
    expect(verdictOn(value, told('enforce', message), NOW)).toEqual({
      tone: 'wait',
      text: '128Mi → 192Mi once the last change has settled.',
    })
    const applied = verdictOn(value, told('enforce', 'memory/add: 192Mi applied'), NOW)
    expect(applied).toEqual({ tone: 'good', text: '192Mi applied.' })
  })

  test('is no worry, where an autoscaler measures a share of the request', () => {
    const said = 'the request is left alone: HorizontalPodAutoscaler add measures memory as a share of it'
    expect(verdictOn(value, told('enforce', `memory/add: ${said}`), NOW)).toEqual({
      tone: 'info',
      text: 'The request is left alone: HorizontalPodAutoscaler add measures memory as a share of it.',
    })
  })

  test('would have been done, where it is only observed', () => {
    expect(verdictOn({ ...value, enforced: false }, told('observe'), NOW).text).toBe(
      '128Mi → 192Mi would have been applied, but the mode is observe.',
    )
  })

  test('waits, is too old, is met, or has failed', () => {
    const at = (change: Partial<NfrValueView>): string => verdictOn({ ...value, ...change }, told('enforce'), NOW).text
    expect(at({})).toContain('once it has been wanted long enough')
    expect(at({ cooldown_until: '2026-11-15T10:01:00.000Z' })).toContain('has settled, in 1m.')
    expect(at({ live: 192 * 2 ** 20 })).toBe('As recommended.')
    expect(at({ recommended: null })).toBe('Nothing is recommended yet.')
    expect(at({ recommended: { ...value.recommended!, stale: true } })).toContain('too old')
    const failure = {
      reason: 'EnforceFailed',
      message: 'refused by quota',
      count: 2,
      retry_at: '2026-11-15T10:00:30.000Z',
    }
    expect(at({ failure })).toBe('Refused by quota. Tried 2 times, again in 30s.')
  })

  test('has values as Kubernetes writes them', () => {
    expect([valueText(3, 'replicas'), valueText(250, 'millicores'), valueText(1.5 * 2 ** 20, 'bytes')]).toEqual([
      '3',
      '250m',
      '1.5Mi',
    ])
    expect(appliedText({ dimension: 'cpu', target: 300 })).toBe('cpu 300m')
    expect(wantedFacts({ nfr_requirements: { max_latency_ms: 80 } })[1]).toEqual(['Latency', 'at most 80 ms'])
    expect(wantedFacts({})[0]).toEqual(['Throughput', 'not said'])
  })
})

describe('the manifest', () => {
  test('is made of what is filled in; the name of one that exists stands', () => {
    const functions = [{ function_key: 'add' }]
    expect(manifestOf({ name: 'cart', namespace: 'shop', functions })).toMatchObject({
      kind: 'ClassRuntime',
      metadata: { name: 'cart', namespace: 'shop' },
      spec: { functions },
    })
    const present = { namespace: 'shop', name: 'cart', spec: { addons: [] } }
    expect(manifestOf({ functions }, present)).toMatchObject({ metadata: { namespace: 'shop', name: 'cart' } })
    expect(manifestOf({ functions }, present).spec).toEqual({ functions })
  })

  test('keeps a template that was written by an alias', () => {
    const { properties } = manifestForm({ selected_template: 'k8s' }).schema as Record<string, Record<string, unknown>>
    expect(properties?.['selected_template']).toMatchObject({
      oneOf: expect.arrayContaining([{ const: 'k8s', title: 'k8s' }]),
    })
    expect(properties).not.toHaveProperty('name')
  })

  test('has a place for what the server refuses', () => {
    const problems = [
      { field: 'metadata.name', message: 'is taken' },
      { field: 'spec.functions[0].provision_config.port', message: 'too big' },
    ]
    expect([...placesOf(problems)]).toEqual([
      ['/name', 'is taken'],
      ['/functions/0/provision_config/port', 'too big'],
    ])
  })
})

test('a preview tells the template only when it changes', () => {
  expect(templateText({ before: null, after: 'edge' })).toBe('It runs by template edge.')
  expect(templateText({ before: 'dev', after: 'edge' })).toBe('Its template changes from dev to edge.')
  expect(templateText({ before: 'dev', after: 'dev' })).toBeUndefined()
})

test.each([
  [[], false, 'The package has no deployment for this environment'],
  [[{ change: 'unchanged' }], false, 'Nothing would change'],
  [[{ change: 'created' }, { change: 'unchanged' }], false, '1 runtime would change'],
  [[{ change: 'created' }, { change: 'changed' }], true, '2 runtimes changed'],
] as const)('a package of %j comes to words', (items, isDone, words) =>
  expect(packageSummary(items, isDone)).toBe(words),
)
