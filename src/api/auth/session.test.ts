import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { sealer } from './session.ts'

const HOUR = 3_600_000
const now = Date.parse('2026-11-15T12:00:00Z')
const { session, openSession, trip, openTrip } = sealer(randomBytes(32), HOUR)

test('a session opens until its age', async () => {
  const cookie = await session({ userId: 'u1', auth: 'dev' }, now)
  expect(await openSession(cookie, now + HOUR - 1000)).toMatchObject({ userId: 'u1', auth: 'dev', begunAt: now })
  expect(await openSession(cookie, now + HOUR + 1000)).toBeUndefined()
})

test('nobody can read, alter, borrow or invent one', async () => {
  const cookie = await session({ userId: 'user-one', auth: 'dev' }, now)
  expect(Buffer.from(cookie, 'base64url').toString()).not.toContain('user-one')
  const [head, ...rest] = cookie.split('.')
  expect(await openSession([head, ...rest.slice(0, 2), `${rest[2]}A`, rest[3]].join('.'), now)).toBeUndefined()
  expect(await sealer(randomBytes(32), HOUR).openSession(cookie, now)).toBeUndefined()
  expect(await openSession('eyJhbGciOiJub25lIn0.e30.', now)).toBeUndefined()
})

test('a login in progress is not a session', async () => {
  const cookie = await trip({ state: 's', nonce: 'n', verifier: 'v', returnTo: '/' }, now)
  expect(await openSession(cookie, now)).toBeUndefined()
  expect(await openTrip(cookie, now)).toMatchObject({ state: 's', verifier: 'v' })
})
