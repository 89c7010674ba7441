import { describe, expect, test } from 'vitest'
import { manualClock } from '../kernel/index.ts'
import { collect, MinimumRate } from './body.ts'
import type { HttpError } from './errors.ts'

async function* chunks(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield new Uint8Array(size)
}

test('a body of exactly the largest size is collected; one byte more is refused', async () => {
  expect(await collect(chunks(3, 4, 3), 10)).toHaveLength(10)
  await expect(collect(chunks(3, 4, 4), 10)).rejects.toMatchObject({ problem: 'tooLarge' })
})

describe('the rate of a transfer', () => {
  const watched = () => {
    const clock = manualClock()
    const slow: HttpError[] = []
    return { clock, slow, rate: new MinimumRate(clock, { bytes: 100, everyMs: 1_000 }, (error) => slow.push(error)) }
  }

  test('is judged anew in each window', async () => {
    const { clock, slow, rate } = watched()
    for (let window = 0; window < 5; window++) {
      rate.add(100)
      await clock.advance(1_000)
    }
    expect(slow).toEqual([])
    rate.add(99)
    await clock.advance(10_000)
    expect(slow).toMatchObject([{ problem: 'timedOut', message: '99 bytes in 1000 ms are fewer than 100' }])
  })

  test('is not judged after the end', async () => {
    const { clock, slow, rate } = watched()
    rate[Symbol.dispose]()
    await clock.advance(10_000)
    expect(slow).toEqual([])
  })
})
