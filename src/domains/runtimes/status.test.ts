import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sameValue, timestamp } from '../../kernel/index.ts'
import type { ClassRuntimeStatus } from './class-runtime.ts'
import {
  AUDIT_LENGTH,
  CONDITIONS_OF,
  reduce,
  type ControllerUpdate,
  type EnforcerUpdate,
  type NewCondition,
  type Updates,
  type Writer,
} from './status.ts'

const texts = fc.constantFrom('a', 'b', 'c')
const numbers = fc.integer({ min: 0, max: 3 })
const times = fc.integer({ min: 1, max: 1_000 }).map((n) => Date.parse('2030-01-01T00:00:00Z') + n * 1_000)
const stamps = times.map(timestamp)
const keys = fc.constantFrom('replicas/a', 'replicas/b', 'memory/a')
const orNot = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: undefined })

const conditionsOf = (writer: Writer): fc.Arbitrary<NewCondition[]> =>
  fc.subarray([...CONDITIONS_OF[writer]]).chain((types) =>
    fc.tuple(
      ...types.map((type) =>
        fc.record({
          type: fc.constant(type),
          status: fc.constantFrom('True', 'False', 'Unknown'),
          reason: texts,
          message: texts,
          observedGeneration: numbers,
        }),
      ),
    ),
  )

const updates: { readonly [W in Writer]: fc.Arbitrary<Updates[W]> } = {
  controller: fc.record({
    phase: fc.constantFrom('progressing', 'available', 'degraded'),
    message: texts,
    observed_generation: orNot(numbers),
    template: orNot(texts),
    resource_refs: orNot(fc.array(fc.record({ kind: texts, name: texts }), { maxLength: 2 })),
    routers: orNot(fc.array(fc.record({ service: texts, port: numbers }), { maxLength: 2 })),
    functions: orNot(
      fc.uniqueArray(fc.record({ function_key: texts, ready: fc.boolean(), reason: texts, message: texts }), {
        selector: (one) => one.function_key,
      }),
    ),
    conditions: conditionsOf('controller'),
  }),
  analyzer: fc.record({
    nfr_recommendations: fc.dictionary(
      keys,
      fc.record({ value: numbers, at: stamps, confidence: fc.constantFrom(0, 1), basis: texts }),
    ),
    conditions: conditionsOf('analyzer'),
  }),
  enforcer: fc.record({
    nfr_state: fc.dictionary(keys, fc.record({ target: numbers, since: stamps })),
    applied: fc
      .uniqueArray(keys)
      .chain((some) =>
        fc.tuple(
          ...some.map((key) =>
            fc.record({ target: numbers, at: stamps, basis: texts }).map((one) => {
              const [dimension = '', function_key = ''] = key.split('/')
              return [key, { component: 'function', dimension, function_key, confidence: 1, ...one }] as const
            }),
          ),
        ),
      )
      .map((entries) => Object.fromEntries(entries)),
    conditions: conditionsOf('enforcer'),
  }),
}

type Write = {
  readonly [W in Writer]: { readonly writer: W; readonly update: Updates[W]; readonly now: number }
}[Writer]
const writesOf = (writer: Writer) =>
  fc.record({ writer: fc.constant(writer), update: updates[writer], now: times }) as unknown as fc.Arbitrary<Write>
const writes = fc.oneof(writesOf('controller'), writesOf('analyzer'), writesOf('enforcer'))
const write = (status: ClassRuntimeStatus, { writer, update, now }: Write): ClassRuntimeStatus =>
  reduce(status, writer, update, now)
const statuses = fc.array(writes, { maxLength: 6 }).map((all) => all.reduce(write, {} as ClassRuntimeStatus))

const TIMES = new Set(['last_updated', 'last_applied_at', 'lastTransitionTime'])

describe('whoever writes', () => {
  it('finds the same status afterwards, whichever of two writers came first', () => {
    const pairs = fc.constantFrom(
      ['controller', 'analyzer'] as const,
      ['controller', 'enforcer'] as const,
      ['analyzer', 'enforcer'] as const,
    )
    const two = pairs.chain(([one, other]) => fc.tuple(writesOf(one), writesOf(other)))
    fc.assert(
      fc.property(statuses, two, (status, [one, other]) => {
        expect(write(write(status, one), other)).toEqual(write(write(status, other), one))
      }),
      { numRuns: 1_000 },
    )
  })

  it('writes nothing by saying the same again, however much later', () => {
    fc.assert(
      fc.property(statuses, writes, fc.nat(1_000_000), (status, one, later) => {
        const once = write(status, one)
        expect(write(once, { ...one, now: one.now + later })).toBe(once)
      }),
      { numRuns: 1_000 },
    )
  })

  const OWN: Readonly<Record<Writer, readonly string[]>> = {
    controller:
      'phase message observed_generation last_updated resource_refs routers functions functions_ready template'.split(
        ' ',
      ),
    analyzer: ['nfr_recommendations'],
    enforcer: ['nfr_state', 'last_applied_recommendations', 'last_applied_at'],
  }

  it('touches nothing of the others', () => {
    fc.assert(
      fc.property(statuses, writes, (status, one) => {
        const foreign = ({ conditions = [], ...fields }: ClassRuntimeStatus) => ({
          fields: Object.fromEntries(Object.entries(fields).filter(([name]) => !OWN[one.writer].includes(name))),
          conditions: conditions.filter(({ type }) => !(CONDITIONS_OF[one.writer] as readonly string[]).includes(type)),
        })
        expect(foreign(write(status, one))).toEqual(foreign(status))
      }),
      { numRuns: 1_000 },
    )
  })

  it('changes something besides a time, or nothing', () => {
    const timeless = (status: ClassRuntimeStatus): unknown =>
      JSON.parse(JSON.stringify(status), (name, value: unknown) => (TIMES.has(name) ? undefined : value))
    fc.assert(
      fc.property(statuses, writes, (status, one) => {
        const next = write(status, one)
        expect(next === status || !sameValue(timeless(next), timeless(status))).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it('keeps no more than the newest enforcements', () => {
    fc.assert(
      fc.property(fc.array(writesOf('enforcer'), { minLength: 30, maxLength: 40 }), (all) => {
        const kept = all.reduce(write, {} as ClassRuntimeStatus).last_applied_recommendations ?? []
        expect(kept.length).toBeLessThanOrEqual(AUDIT_LENGTH)
      }),
      { numRuns: 50 },
    )
  })
})

const condition = (over: Partial<NewCondition>): NewCondition => ({
  type: 'Progressing',
  status: 'True',
  reason: 'x',
  message: '',
  observedGeneration: 1,
  ...over,
})
const NOW = Date.parse('2030-01-01T00:00:00Z')
const controller = (over: Partial<ControllerUpdate>): ControllerUpdate => ({
  phase: 'progressing',
  message: '',
  conditions: [],
  ...over,
})

it('restarts the clock of Progressing with a generation, and of nothing else', () => {
  const said = (observedGeneration: number) => [
    condition({ observedGeneration }),
    condition({ type: 'Degraded', observedGeneration }),
  ]
  const first = reduce({}, 'controller', controller({ conditions: said(1) }), NOW)
  const second = reduce(first, 'controller', controller({ conditions: said(2) }), NOW + 60_000)
  expect(second.conditions?.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
    ['Degraded', '2030-01-01T00:00:00Z'],
    ['Progressing', '2030-01-01T00:01:00Z'],
  ])
})

it('moves the time of a function only when its readiness does, and forgets one that is not wanted', () => {
  const functions = (ready: boolean, message: string) => [{ function_key: 'a', ready, message }]
  const first = reduce(
    {},
    'controller',
    controller({ functions: [...functions(false, '1'), { function_key: 'b' }] }),
    NOW,
  )
  const second = reduce(first, 'controller', controller({ functions: functions(false, '2') }), NOW + 1_000)
  expect(second.functions).toEqual([
    { function_key: 'a', ready: false, message: '2', lastTransitionTime: '2030-01-01T00:00:00Z' },
  ])
  const third = reduce(second, 'controller', controller({ functions: functions(true, '') }), NOW + 2_000)
  expect(third).toMatchObject({ functions_ready: '1/1', functions: [{ lastTransitionTime: '2030-01-01T00:00:02Z' }] })
})

it('says the same enforcement twice in a row once, and again after another one', () => {
  const applied = (target: number): EnforcerUpdate => ({
    nfr_state: {},
    applied: {
      'replicas/a': {
        component: 'function',
        function_key: 'a',
        dimension: 'replicas',
        target,
        basis: '',
        confidence: 1,
      },
    },
    conditions: [],
  })
  const status = [2, 2, 3, 2].reduce(
    (all, target) => reduce(all, 'enforcer', applied(target), NOW),
    {} as ClassRuntimeStatus,
  )
  expect(status.last_applied_recommendations?.map(({ target }) => target)).toEqual([2, 3, 2])
})
