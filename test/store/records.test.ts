import { expect, test } from 'vitest'
import { audit, auditOf, inTx } from '../../src/store/index.ts'
import { freshDatabase } from '../support/postgres.ts'

const object = { kind: 'Deployment', id: 'd1' }

test('the audit records who did what, and recognises a value without storing it', async () => {
  await using database = await freshDatabase()
  await inTx(database.pool, async (tx) => {
    await audit(tx, { actor: 'ann', action: 'created', object, after: { domain: 'a.example', password: 'hunter2' } })
    await audit(tx, {
      actor: 'bob',
      action: 'changed',
      object,
      before: { password: 'hunter2', domain: 'a.example' },
      after: {},
    })
  })
  const [changed, created] = await auditOf(database.pool, object)
  expect(changed).toMatchObject({ actor: 'bob', action: 'changed', object })
  expect(created).toMatchObject({ actor: 'ann', action: 'created', beforeSha256: undefined })
  expect(changed?.beforeSha256).toBe(created?.afterSha256)
  const [dump] = await database.pool.query<{ all: string }>(
    "select string_agg(a::text, e'\\n') as all from caelus.audit a",
  )
  expect(dump?.all).not.toContain('hunter2')
})

test.each(["update caelus.audit set actor = 'nobody'", 'delete from caelus.audit', 'truncate caelus.audit'])(
  'not even the owner of the tables gets through with: %s',
  async (statement) => {
    await using database = await freshDatabase()
    await inTx(database.pool, (tx) => audit(tx, { actor: 'ann', action: 'created', object }))
    await expect(database.pool.query(statement)).rejects.toThrow('table caelus.audit only grows')
    expect(await auditOf(database.pool, object)).toHaveLength(1)
  },
)
