import { expect, onTestFinished, test } from 'vitest'
import { start } from '../cli/caelus.ts'
import { freshDatabase } from '../support/postgres.ts'

test('api deletes old idempotency keys with a login that owns nothing and no worker beside it', async () => {
  await using database = await freshDatabase()
  await database.pool.query(`
    with ann as (insert into caelus.user (email) values ('ann@example.org') returning id)
    insert into caelus.idempotency_key (user_id, key, request_sha256, created_at)
    select id, age, '', now() - age::interval from ann, unnest(array['1 hour', '2 days']) age`)
  const running = start(['api'], { DATABASE_URL: database.urlOf('caelus_api'), CAELUS_PORT: '0' })
  onTestFinished(() => void running.child.kill('SIGKILL'))
  const kept = () => database.pool.query('select key from caelus.idempotency_key')
  await expect.poll(kept, { timeout: 60_000 }).toEqual([{ key: '1 hour' }])
  running.child.kill('SIGTERM')
  expect((await running.ended).code).toBe(0)
})
