import { expect, test } from 'vitest'
import { manualClock } from './clock.ts'
import { FairLane, type FairLaneOptions, type LaneRefused } from './fair-lane.ts'

const OPTIONS = { concurrency: 2, waitingOfOne: 4, waiting: 10, limitMs: 1_000 }

function scene(options: Partial<FairLaneOptions> = {}) {
  const clock = manualClock()
  const lane = new FairLane({ ...OPTIONS, clock, ...options })
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const ask = (name: string, signal?: AbortSignal): Promise<string> => {
    const [tenant = ''] = name
    const answer = lane.run(
      tenant,
      (aborted) => {
        started.push(name)
        return new Promise<string>((resolve, reject) => {
          ends.set(name, () => resolve(name))
          aborted.addEventListener('abort', () => reject(aborted.reason as Error), { once: true })
        })
      },
      signal,
    )
    answer.catch(() => {})
    return answer
  }
  const end = async (name: string, answer: Promise<unknown>): Promise<void> => {
    ends.get(name)?.()
    await answer
    await Promise.resolve()
  }
  return { clock, ask, end, started }
}

const why = (answer: Promise<unknown>) => answer.then(String, (error: unknown) => (error as LaneRefused).why ?? error)

test('no more than so many run at once, and tenants take turns', async () => {
  const { ask, end, started } = scene()
  const [a1, , a3, b1] = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) => ask(name))
  await Promise.resolve()
  // One place is kept from the tenant who came first.
  expect(started).toEqual(['a1', 'b1'])
  await end('b1', b1 as Promise<string>)
  expect(started).toEqual(['a1', 'b1', 'c1'])
  await end('a1', a1 as Promise<string>)
  expect(started).toEqual(['a1', 'b1', 'c1', 'a2'])
  void a3
})

test('a tenant who asks for too much is refused, and others are not', async () => {
  const { ask } = scene()
  const answers = Array.from({ length: 6 }, (_, n) => ask(`a${n}`))
  expect(await why(answers[5] as Promise<string>)).toBe('too many of the tenant')
  const others = ['b', 'c', 'd', 'e', 'f', 'g'].map((tenant) => ask(`${tenant}1`))
  const more = Array.from({ length: 4 }, (_, n) => ask(`h${n}`))
  expect(await why(more[3] as Promise<string>)).toBe('too many')
  void others
})

test('who goes away leaves the line, or has the work ended', async () => {
  const { ask, end, started } = scene({ concurrency: 1 })
  const running = new AbortController()
  const first = ask('a1', running.signal)
  const waiting = new AbortController()
  const second = ask('b1', waiting.signal)
  const third = ask('c1')
  waiting.abort(new Error('gone'))
  await expect(second).rejects.toThrow('gone')
  running.abort(new Error('gone, too'))
  await expect(first).rejects.toThrow('gone, too')
  await Promise.resolve()
  expect(started).toEqual(['a1', 'c1'])
  await end('c1', third)
  await expect(ask('d1', AbortSignal.abort(new Error('never there')))).rejects.toThrow('never there')
})

test('waiting and running have an end', async () => {
  const { ask, clock, started } = scene({ concurrency: 1 })
  const first = ask('a1')
  const second = ask('b1')
  await clock.advance(1_000)
  expect(await why(first)).toBe('ran too long')
  expect(await why(second)).toBe('waited too long')
  void ask('c1')
  await Promise.resolve()
  expect(started).toEqual(['a1', 'c1'])
})

test('a place is free again after a failure', async () => {
  const { clock } = scene()
  const lane = new FairLane({ ...OPTIONS, clock, concurrency: 1 })
  await expect(lane.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await lane.run('a', () => Promise.resolve(1))).toBe(1)
})
