import { asUser, type Pool, type Tx } from '../../store/index.ts'
import type { FirstRequest, IdempotencyKeys } from './idempotency.ts'

/** A request whose process died is taken over after this; longer than any request may take. */
const ABANDONED = '2 minutes'

/** The unique key decides between two that come at once; the loser reads what the winner wrote. */
const TAKE = `
  insert into caelus.idempotency_key as k (user_id, key, request_sha256) values ($1, $2, $3)
  on conflict (user_id, key) do update set request_sha256 = excluded.request_sha256, created_at = now()
    where k.response_status is null and k.created_at < now() - interval '${ABANDONED}'
  returning key`

const READ = `
  select request_sha256, response_status, response_body from caelus.idempotency_key where user_id = $1 and key = $2`

const ANSWER = `
  update caelus.idempotency_key set response_status = $3, response_body = $4 where user_id = $1 and key = $2`

const FORGET = `
  delete from caelus.idempotency_key where user_id = $1 and key = $2 and response_status is null`

interface Row {
  readonly request_sha256: Buffer
  readonly response_status: number | null
  readonly response_body: unknown
}

export const idempotencyStore = (pool: Pool): IdempotencyKeys => {
  const as = <T>(userId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
    asUser(pool, { userId, admin: false }, work)
  return {
    begin: (userId, key, fingerprint) =>
      as(userId, async (tx): Promise<FirstRequest> => {
        if ((await tx.query(TAKE, [userId, key, fingerprint])).length === 1) return { is: 'this' }
        const [row] = await tx.query<Row>(READ, [userId, key])
        if (row === undefined) return { is: 'running', fingerprint }
        if (row.response_status === null) return { is: 'running', fingerprint: row.request_sha256 }
        const answer = { status: row.response_status, body: row.response_body }
        return { is: 'answered', fingerprint: row.request_sha256, answer }
      }),
    answer: (userId, key, { status, body }) =>
      as(userId, async (tx) => void (await tx.query(ANSWER, [userId, key, status, JSON.stringify(body)]))),
    forget: (userId, key) => as(userId, async (tx) => void (await tx.query(FORGET, [userId, key]))),
  }
}
