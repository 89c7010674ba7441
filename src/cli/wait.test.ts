import { expect, test } from 'vitest'
import { manualClock } from '../kernel/index.ts'
import { ServerRefusal } from './client.ts'
import { raise } from './failures.ts'
import { untilSettled, type Verdict } from './wait.ts'

const verdict = (phase: string): Verdict<string> => {
  if (phase === 'ready') return { is: 'settled', value: 'it is ready', text: 'ready' }
  if (phase === 'broken') return { is: 'failed', error: new Error('it broke'), text: 'broken' }
  return { is: 'waiting', text: phase }
}

async function wait(answers: readonly (string | Error)[], { isInteractive = false, timeoutMs = 10_000 } = {}) {
  const clock = manualClock()
  const printed: string[] = []
  let asked = 0
  const get = async () => {
    const answer = answers[Math.min(asked++, answers.length - 1)] ?? ''
    if (answer instanceof Error) throw answer
    return answer
  }
  const terminal = { err: (text: string) => void printed.push(text), isInteractive }
  const waiting = untilSettled(get, verdict, terminal, { name: 'shop/cart', timeoutMs, clock })
  const result = waiting.then(
    (value) => value,
    (error: unknown) => error,
  )
  await clock.advance(60_000)
  return { result: await result, printed, asked }
}

test('every change is one plain line without a terminal', async () => {
  const { result, printed, asked } = await wait(['new', 'new', 'applying', 'applying', 'ready'])
  expect([result, asked]).toEqual(['it is ready', 5])
  expect(printed).toEqual(['new\n', 'applying\n', 'ready\n'])
})

test('a terminal shows one line that is overwritten, with the time', async () => {
  const { printed } = await wait(['new', 'new', 'new', 'ready'], { isInteractive: true })
  const clear = '\r\u001B[2K'
  const lines = ['new (0 s)', 'new (0 s)', 'new (1 s)', 'ready (1 s)'].map((line) => `${clear}${line}`)
  expect(printed).toEqual([...lines, '\n'])
})

test('a failure that needs a person ends the wait at once', async () => {
  const { result, printed, asked } = await wait(['new', 'broken', 'ready'])
  expect([String(result), asked]).toEqual(['Error: it broke', 2])
  expect(printed).toEqual(['new\n', 'broken\n'])
})

test('the time ends the wait, and the message has the last state', async () => {
  const { result, asked } = await wait(['applying'], { timeoutMs: 2_000 })
  expect(asked).toBe(5)
  expect(result).toMatchObject({
    message: 'shop/cart has not settled after 2 s: applying',
    failure: { code: 'NotConvergedInTime' },
  })
})

const refusal = (retryable: boolean) =>
  new ServerRefusal({ code: 'X', detail: 'try later', whose_move: 'platform', retryable, next_step: '' })

test.each([
  ['a server that does not answer', raise.ServerUnreachable('failed to reach it'), 'it is ready'],
  ['a refusal that may pass', refusal(true), 'it is ready'],
  ['a refusal that will not', refusal(false), expect.objectContaining({ message: 'try later' })],
  ['a mistake of ours', new TypeError('x is undefined'), expect.any(TypeError)],
])('%s', async (_, error, expected) => {
  const { result } = await wait(['new', error, 'ready'])
  expect(result).toEqual(expected)
})
