import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { onServer } from '../support/postgres.ts'
import { appsWorld } from './apps/world.ts'

const MIGRATION = join(import.meta.dirname, '../../src/store/migrations/0031-keyed-fingerprints.sql')

test('a request cannot be guessed from what is kept of it, and earlier rows still answer', async () => {
  await using w = await appsWorld()
  const { template_id } = await w.product()
  const ada = await w.person('member')
  const url = `/api/v1/users/${ada.userId}/deployments`
  const payload = { template_id, domainname: 'a.example.test', user_values: { message: 'hi', password: 'hunter22' } }
  const ask = (body: object) =>
    w.as(ada.secret, { method: 'POST', url, payload: body, headers: { 'idempotency-key': 'once' } })
  const first = await ask(payload)
  expect(first.statusCode).toBe(201)

  const plain = createHash('sha256')
    .update(`POST\n${url}\n${JSON.stringify(payload)}`)
    .digest()
  const guessable = await onServer(w.url, async (client) => {
    const { rows } = await client.query<{ plain: boolean; salted: boolean }>(
      `select k.request_sha256 = $1 as plain, k.request_sha256 = sha256(convert_to(i.digest_salt, 'UTF8') || $1) as salted
       from caelus.idempotency_key k, caelus.installation i where k.key = 'once'`,
      [plain],
    )
    return rows
  })
  expect(guessable).toEqual([{ plain: false, salted: false }])
  const replayed = await ask(payload)
  expect([replayed.statusCode, replayed.headers['idempotency-replayed']]).toEqual([201, 'true'])

  // As a version before wrote it, and the migration found it.
  const migration = await readFile(MIGRATION, 'utf8')
  await onServer(w.url, async (client) => {
    await client.query('update caelus.idempotency_key set request_sha256 = $1', [plain])
    await client.query(migration)
  })
  const again = await ask(payload)
  expect([again.statusCode, again.headers['idempotency-replayed'], again.json()]).toEqual([201, 'true', first.json()])
  const other = await ask({ ...payload, domainname: 'b.example.test' })
  expect(other.json()).toMatchObject({ code: 'IdempotencyKeyReused' })
})

test('a request that takes long keeps its key, and one whose process died does not', async () => {
  await using w = await appsWorld()
  const { template_id } = await w.product()
  const ada = await w.person('member')
  const url = `/api/v1/users/${ada.userId}/deployments`
  const ask = () =>
    w.as(ada.secret, {
      method: 'POST',
      url,
      payload: { template_id, domainname: 'a.example.test' },
      headers: { 'idempotency-key': 'once' },
    })
  const begun = (ago: string) =>
    onServer(w.url, async (client) => {
      await client.query(`update caelus.deployment set status = 'deleted', deleted_at = now() where deleted_at is null`)
      const unanswered = 'response_status = null, response_body = null'
      await client.query(
        `update caelus.idempotency_key set ${unanswered}, created_at = now() - $1::interval where key = 'once'`,
        [ago],
      )
    })
  await ask()
  await begun('7 minutes')
  expect((await ask()).json()).toMatchObject({ code: 'StillRunning' })
  await begun('9 minutes')
  expect((await ask()).statusCode).toBe(201)
})
