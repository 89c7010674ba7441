import { describe, expect, it } from 'vitest'
import { decisionLog, recordsOf, replay, sameValue, type ReplayableRecord, type RunEnd } from './decisions.ts'

const run: RunEnd = { outcome: 'settled', ms: 3, attempt: 0 }
const claim = { controller: 'c', key: { kind: 'K', id: 'a' }, fence: 7 }

describe('records', () => {
  it('hold what was decided and how the run ended', () => {
    const decided = [
      { input: { n: 1 }, decision: 'one', at: 5 },
      { input: { n: 2 }, decision: 'two', at: 6 },
    ]
    expect(recordsOf(decided, claim, run)).toEqual([
      { ...claim, at: 5, input: { n: 1 }, decision: 'one', masked: [], run },
      { ...claim, at: 6, input: { n: 2 }, decision: 'two', masked: [], run },
    ])
  })

  it('are masked when they are read, once, the end of the run included', () => {
    let copies = 0
    const hide = (value: unknown) => {
      copies += 1
      const text = JSON.stringify(value)
      return { value: JSON.parse(text.replaceAll('7', '*')) as unknown, masked: text.includes('7') ? ['pin'] : [] }
    }
    const end: RunEnd = { ...run, because: 'pin 77 is wrong' }
    const [record] = recordsOf([{ input: { pin: '77' }, decision: { pin: '7' }, at: 5, hide }], claim, end)
    expect(copies).toBe(0)
    expect({ ...record }).toMatchObject({
      input: { pin: '**' },
      decision: { pin: '*' },
      masked: ['input.pin', 'decision.pin'],
      run: { because: 'pin ** is wrong' },
    })
    expect(JSON.stringify(record)).not.toContain('77')
    expect(copies).toBe(3)
  })

  it('reach every listener, whatever another one throws', () => {
    const errors: unknown[] = []
    const heard: number[] = []
    const log = decisionLog((error) => errors.push((error as Error).message))
    log.onAdd(() => {
      throw new Error('listener')
    })
    const stop = log.onAdd(({ at }) => heard.push(at))
    const [one, two] = recordsOf(
      [1, 2].map((at) => ({ input: {}, decision: {}, at })),
      claim,
      run,
    )
    log.add(one!)
    stop()
    log.add(two!)
    expect(heard).toEqual([1])
    expect(errors).toEqual(['listener', 'listener'])
  })
})

describe('replay', () => {
  const key = { kind: 'Sum', id: 's' }
  const record: ReplayableRecord = { controller: 'c', key, at: 4, input: { n: 2 }, decision: { sum: 6 }, masked: [] }
  const add = (input: unknown, at: number): unknown => ({ sum: (input as { n: number }).n + at, more: undefined })

  it.each<[string, Partial<ReplayableRecord>, unknown]>([
    ['the same answer', {}, { is: 'same' }],
    ['the same answer from a masked input', { masked: ['input.n'] }, { is: 'same' }],
    ['another answer', { decision: { sum: 7 } }, { is: 'different', now: { sum: 6 } }],
    [
      'another answer from a masked input',
      { decision: { sum: 7 }, masked: ['input.n', 'input.b'] },
      { is: 'notReplayable', because: 'masked fields: input.n, input.b' },
    ],
    [
      'many masked fields',
      { decision: { sum: 7 }, masked: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] },
      { is: 'notReplayable', because: 'masked fields: a, b, c, d, e and 2 more' },
    ],
    [
      'a record of an earlier version',
      { masked: null },
      { is: 'notReplayable', because: 'it was recorded by a version that did not keep the complete input' },
    ],
    [
      'an unknown controller',
      { controller: 'toString' },
      { is: 'notReplayable', because: 'this server has no decide function for controller toString' },
    ],
    [
      'an input that decide cannot read',
      { input: null },
      { is: 'notReplayable', because: expect.stringContaining('does not accept the recorded input: Cannot read') },
    ],
  ])('%s', (_, change, answer) => {
    expect(replay({ ...record, ...change }, { c: add })).toEqual(answer)
  })

  it('says of which kind the object is, for a controller with a decide function for each', () => {
    const byKind = (_: unknown, at: number, kind: string): unknown => (kind === 'Sum' ? { sum: at + 2 } : 'other')
    expect(replay(record, { c: byKind })).toEqual({ is: 'same' })
    expect(replay({ ...record, key: { kind: 'Product', id: 'p' } }, { c: byKind })).toMatchObject({ now: 'other' })
  })

  it('leaves the record as it is, whatever decide does with its input', () => {
    const spoil = (input: unknown): unknown => ((input as { n: number }).n = 99)
    replay(record, { c: spoil })
    expect(record.input).toEqual({ n: 2 })
  })
})

it('compares values as JSON carries them', () => {
  expect(sameValue({ a: undefined }, {})).toBe(true)
  expect(sameValue({}, { a: 1 })).toBe(false)
  expect(sameValue({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1, d: undefined })).toBe(true)
  expect(sameValue([1, 2], [2, 1])).toBe(false)
  expect(sameValue({ a: null }, {})).toBe(false)
  expect(sameValue([], {})).toBe(false)
})
