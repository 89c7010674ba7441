import { createHash, createHmac } from 'node:crypto'
import { asUser, type Pool, type Tx } from '../../store/index.ts'
import type { FirstRequest, IdempotencyKeys } from './idempotency.ts'

/**
 * A request whose process died is taken over after this. Publishing takes longest: up to five downloads of a minute each,
 * and two minutes to render the chart.
 */
const ABANDONED = '8 minutes'

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

const SALT = 'select digest_salt from caelus.installation'

interface Row {
  readonly request_sha256: Buffer
  readonly response_status: number | null
  readonly response_body: unknown
}

export interface IdempotencyOptions {
  readonly pool: Pool
  /** Not in the database, and the same in all replicas. Absent: fingerprints are salted and not keyed. */
  readonly secret?: Buffer | undefined
}

/**
 * Remembers requests by a fingerprint: the digest of a request, keyed with a secret of the installation. A request may hold
 * write-only values, and a reader of the rows must not be able to try guesses.
 */
export const idempotencyStore = ({ pool, secret }: IdempotencyOptions): IdempotencyKeys => {
  let salt: Promise<string> | undefined
  const as = <T>(userId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
    asUser(pool, { userId, admin: false }, work)
  const readSalt = async (): Promise<string> => {
    const [row] = await pool.query<{ digest_salt: string }>(SALT)
    if (row === undefined) throw new Error('failed to read the salt of this installation: caelus.installation is empty')
    return row.digest_salt
  }
  const saltOnce = (): Promise<string> =>
    (salt ??= readSalt().catch((error: unknown) => {
      salt = undefined
      throw error
    }))
  return {
    async begin(userId, key, digest) {
      const { fingerprint, salted } = fingerprintsOf(digest, await saltOnce(), secret)
      return await as(userId, async (tx): Promise<FirstRequest> => {
        if ((await tx.query(TAKE, [userId, key, fingerprint])).length === 1) return { is: 'this' }
        const [row] = await tx.query<Row>(READ, [userId, key])
        if (row === undefined) return { is: 'running' }
        const isSame = row.request_sha256.equals(fingerprint) || row.request_sha256.equals(salted)
        if (!isSame) return { is: 'another' }
        if (row.response_status === null) return { is: 'running' }
        return { is: 'answered', answer: { status: row.response_status, body: row.response_body } }
      })
    },
    answer: (userId, key, { status, body }) =>
      as(userId, async (tx) => void (await tx.query(ANSWER, [userId, key, status, JSON.stringify(body)]))),
    forget: (userId, key) => as(userId, async (tx) => void (await tx.query(FORGET, [userId, key]))),
  }
}

/** `salted`: as the migration rewrote the rows of versions that kept plain digests. */
function fingerprintsOf(digest: Buffer, salt: string, secret: Buffer | undefined) {
  const salted = createHash('sha256').update(salt).update(digest).digest()
  if (secret === undefined) return { fingerprint: salted, salted }
  return { fingerprint: createHmac('sha256', secret).update('idempotency').update(salted).digest(), salted }
}
