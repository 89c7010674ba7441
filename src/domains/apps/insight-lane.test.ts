import { expect, test } from 'vitest'
import { failureOf, manualClock, retryAfterOf } from '../../kernel/index.ts'
import { insightLane } from './insight-lane.ts'

const LIMIT_MS = 30_000
const never = () => new Promise<never>(() => {})

const scene = (concurrency = 1) => {
  const clock = manualClock()
  const lane = insightLane({ clock, concurrency, limitMs: LIMIT_MS })
  const ask = (tenant: string) => lane.run(tenant, never).catch((error: unknown) => error)
  return { clock, ask }
}

test('a user with too many previews, and everybody when all wait, is told so and when to come back', async () => {
  const { ask } = scene()
  for (let n = 0; n <= 8; n++) void ask('ada')
  const error = await ask('ada')
  expect(failureOf(error)).toMatchObject({ code: 'TooManyPreviews', whoseMove: 'user', retryable: true })
  expect(retryAfterOf(error)).toBe(3_000)
  for (let n = 0; n < 56; n++) void ask(`user ${n}`)
  const busy = await ask('eve')
  expect(failureOf(busy)).toMatchObject({ code: 'PreviewsBusy', whoseMove: 'platform', retryable: true })
  expect(retryAfterOf(busy)).toBe(3_000)
})

test('one that takes too long is ended, and one that waited as long is sent away', async () => {
  const clock = manualClock()
  const lane = insightLane({ clock, concurrency: 1, limitMs: LIMIT_MS })
  const slow = lane.run(
    'ada',
    (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('helm was ended')), { once: true })
      }),
  )
  const waiting = lane.run('eve', never)
  const told = Promise.allSettled([slow, waiting])
  await clock.advance(LIMIT_MS)
  const codes = (await told).map((one) => (one.status === 'rejected' ? failureOf(one.reason).code : 'done'))
  expect(codes).toEqual(['PreviewTooSlow', 'PreviewsBusy'])
})
