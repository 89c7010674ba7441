import { expect, it } from 'vitest'
import { decisionLog, replay, sameValue, shownWhenRead, type DecisionRecord } from './decisions.ts'

const record = (n: number): DecisionRecord => ({
  controller: 'c',
  key: { kind: 'K', id: `${n % 2}` },
  at: n,
  input: { n },
  decision: n * 2,
})

it('keeps the newest hundred, newest first, and passes all to the sink', () => {
  let sunk = 0
  const log = decisionLog(() => void sunk++)
  for (let n = 0; n < 150; n++) log.add(record(n))
  expect(sunk).toBe(150)
  expect(log.recent()).toHaveLength(100)
  expect(log.recent()[0]?.at).toBe(149)
  expect(log.recent({ kind: 'K', id: '1' })).toHaveLength(50)
})

it('keeps a record and passes it on, whatever its sink and its listeners throw', () => {
  const errors: unknown[] = []
  const heard: number[] = []
  const fail = (what: string) => (): void => {
    throw new Error(what)
  }
  const log = decisionLog(fail('sink'), 100, (error) => errors.push((error as Error).message))
  log.onAdd(fail('listener'))
  const stop = log.onAdd(({ at }) => heard.push(at))
  log.add(record(1))
  stop()
  log.add(record(2))
  expect(log.recent()).toHaveLength(2)
  expect(heard).toEqual([1])
  expect(errors).toEqual(['sink', 'listener', 'sink', 'listener'])
})

it('replays a decision from its recorded input', () => {
  const decide = ({ n }: { n: number }): number => n * 2
  expect(replay(record(4), decide)).toEqual({ same: true, recorded: 8, now: 8 })
  expect(replay(record(4), ({ n }: { n: number }) => n)).toMatchObject({ same: false, now: 4 })
})

it('makes what is read fit to be read when somebody reads it, once', () => {
  let copies = 0
  const shown = (value: unknown): unknown => (copies++, JSON.parse(JSON.stringify(value).replaceAll('7', '*')))
  const log = decisionLog()
  log.add(shownWhenRead({ ...record(1), input: { pin: '77' }, decision: { say: '7' } }, shown))
  expect(copies).toBe(0)
  const [kept] = log.recent()
  expect(JSON.stringify(kept)).toContain('"input":{"pin":"**"},"decision":{"say":"*"}')
  expect({ ...kept }).toMatchObject({ controller: 'c', at: 1, input: { pin: '**' } })
  expect(copies).toBe(2)
})

it('compares as JSON travels', () => {
  expect(sameValue({ a: undefined }, {})).toBe(true)
  expect(sameValue({}, { a: 1 })).toBe(false)
  expect(sameValue({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1, d: undefined })).toBe(true)
  expect(sameValue([1, 2], [2, 1])).toBe(false)
  expect(sameValue({ a: null }, {})).toBe(false)
  expect(sameValue([], {})).toBe(false)
})
