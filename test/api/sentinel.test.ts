import { expect, test } from 'vitest'
import type { Routes } from '../../src/api/index.ts'
import { defineFailures } from '../../src/kernel/index.ts'
import { expectNoSentinel, SENTINEL, sentinelSpellings } from '../support/sentinel.ts'
import { world } from './world.ts'

const raise = defineFailures({ SentinelLeaks: { whoseMove: 'user', retryable: false, nextStep: 'Nothing.' } })

/** Code that does everything wrong that code can do with a secret. */
const careless: Routes = (app) => {
  const config = { access: 'public' } as const
  app.get('/fails', { config }, async () => {
    throw raise.SentinelLeaks(`the password ${SENTINEL} is wrong`)
  })
  app.get('/quotes', { config }, async () => {
    throw raise.SentinelLeaks([...sentinelSpellings().values()].join(' or '))
  })
  app.get('/breaks', { config }, async () => {
    throw new Error(`failed to reach postgres://joe:${encodeURIComponent(SENTINEL)}@db`, {
      cause: { password: SENTINEL },
    })
  })
  app.get('/logs', { config }, async ({ log }) => {
    log.info({ password: SENTINEL, deep: { token: SENTINEL }, text: `it is ${SENTINEL}` }, 'Careless')
    log.info({ spelled: [...sentinelSpellings().values()], error: new Error(SENTINEL) }, `Careless ${SENTINEL}`)
    return {}
  })
}

test('a secret is found in no answer, log line, event or metric', async () => {
  await using w = await world({
    secrets: [SENTINEL],
    checks: [{ name: 'database', required: true, probe: () => Promise.reject(new Error(`no ${SENTINEL}`)) }],
    parts: {
      routes: [careless],
      config: () => [{ name: 'CAELUS_TOKEN', value: SENTINEL, source: 'environment', secret: true, description: '' }],
    },
  })
  const { secret } = await w.person('admin')
  const key = { kind: 'Echo', id: 'demo/a' }
  w.decided.add({
    controller: 'echo',
    key,
    at: 0,
    input: { values: { password: SENTINEL, [`"${SENTINEL}`]: true } },
    decision: { do: 'apply', with: [...sentinelSpellings().values()] },
    masked: [],
    run: { outcome: 'checkAgain', because: `waits for ${SENTINEL}`, ms: 1, attempt: 0 },
  })
  await w.kept()

  const said: string[] = []
  for (const path of [
    'fails',
    'quotes',
    'breaks',
    'logs',
    `nothing?password=${encodeURIComponent(SENTINEL)}`,
    'config',
    'decisions',
    'decisions/1',
    'events',
    'openapi.json',
    'tokens',
    'status',
  ]) {
    const answer = await w.as(secret, { url: `/api/v1/${path}` })
    said.push(`${path.split('?')[0]} ${answer.statusCode} ${JSON.stringify(answer.headers)} ${answer.body}`)
  }
  said.push((await w.app.inject({ url: '/metrics' })).body, (await w.app.inject({ url: '/readyz' })).body, ...w.log)
  expect(said.some((text) => text.includes('[redacted]'))).toBe(true)
  expect(said.filter((text) => text.includes(secret))).toEqual([])
  for (const text of said) expectNoSentinel(text)
  for (const line of w.log) expect(() => JSON.parse(line) as unknown).not.toThrow()
  expect(said.find((text) => text.startsWith('fails'))).toContain('the password [redacted] is wrong')
})
