import { expect, test } from 'vitest'
import type { AppsInsight } from '../../../src/api/routes/apps/index.ts'
import { insightLane } from '../../../src/domains/apps/index.ts'
import { systemClock } from '../../../src/kernel/index.ts'
import { LIMITS } from '../world.ts'
import { appsWorld } from './world.ts'

const LEVELS = 100_000

test('values that are too many or too deep are refused with their field, at once', async () => {
  await using w = await appsWorld({ parts: { limits: { ...LIMITS, bodyBytes: 1024 ** 2 } } })
  const { template_id } = await w.product()
  const ada = await w.person('member')
  const place = `/api/v1/users/${ada.userId}/deployments`
  const send = (url: string, values: string, headers: Record<string, string> = {}) =>
    w.as(ada.secret, {
      method: 'POST',
      url,
      payload: `{"template_id":"${template_id}","domainname":"a.example.test","user_values":${values}}`,
      headers: { 'content-type': 'application/json', ...headers },
    })
  const deep = `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`
  const lists = `{"a":${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}}`
  const wide = `{"a":[${'0,'.repeat(450_000)}0]}`
  const began = performance.now()
  for (const url of [place, `${place}:preview`]) {
    for (const body of [deep, lists]) {
      const answer = await send(url, body, { 'idempotency-key': 'deep' })
      expect(answer.statusCode).toBe(400)
      expect(answer.json()).toMatchObject({ detail: 'the body is nested deeper than 100 levels' })
    }
    const answer = await send(url, wide)
    expect(answer.json()).toMatchObject({
      status: 400,
      errors: [{ field: '/user/a', message: 'has 450001 items; at most 1000 are possible' }],
    })
    const quoted = await send(url, JSON.stringify({ message: '['.repeat(200) }))
    expect(quoted.json().errors).toEqual([{ field: '/user/message', message: 'must have at most 20 characters' }])
  }
  expect(performance.now() - began).toBeLessThan(5_000)
})

test('whoever previews more than the lane takes is told when to come back', async () => {
  const lane = insightLane({ clock: systemClock, concurrency: 1, limitMs: 20_000 })
  const over = new AbortController()
  const started = Promise.withResolvers<void>()
  const hanging = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => {
      started.resolve()
      const either = AbortSignal.any([signal, over.signal])
      const end = (): void => reject(new Error('over'))
      // The next in line begins when the one before has ended.
      if (either.aborted) end()
      else either.addEventListener('abort', end, { once: true })
    })
  const insight: AppsInsight = {
    preview: ({ after }, signal) => lane.run(after.deployment.userId, hanging, signal),
    explain: () => Promise.reject(new Error('not asked')),
    resources: () => Promise.resolve([]),
    notes: () => Promise.resolve(undefined),
    manifest: () => Promise.resolve(undefined),
    values: () => Promise.resolve(undefined),
  }
  await using w = await appsWorld({ insight })
  const { template_id } = await w.product()
  const ada = await w.person('member')
  const preview = async () =>
    await w.as(ada.secret, {
      method: 'POST',
      url: `/api/v1/users/${ada.userId}/deployments:preview`,
      payload: { template_id, domainname: 'a.example.test' },
    })
  const waiting = Array.from({ length: 9 }, preview)
  await started.promise
  const refused = await Promise.race([...waiting, ...Array.from({ length: 3 }, preview)])
  expect(refused.statusCode).toBe(429)
  expect(refused.headers['retry-after']).toBe('2')
  expect(refused.json()).toMatchObject({ code: 'TooManyPreviews', whose_move: 'user', retryable: true })
  over.abort()
  await Promise.all(waiting)
})
