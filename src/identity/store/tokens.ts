import { asUser, listed, markOf, timeMark, type Pool } from '../../store/index.ts'
import type { ApiTokens, Role, StoredToken } from '../types.ts'
import { principalOf } from './logins.ts'

interface TokenRow {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly sha256: Buffer
  readonly role: Role
  readonly created_at: Date
  readonly expires_at: Date | null
  readonly last_used_at: Date | null
  readonly revoked_at: Date | null
}

const COLUMNS = 'id, name, prefix, sha256, role, created_at, expires_at, last_used_at, revoked_at'

const toToken = (row: TokenRow): StoredToken => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  hash: row.sha256,
  role: row.role,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at,
})

interface Found extends TokenRow {
  readonly user_id: string
  readonly email: string
  readonly is_admin: boolean
  readonly sessions_from: Date
}

/** One round trip: every request with a token runs it. */
const FIND = `
  select t.*, u.email, u.is_admin, u.sessions_from
  from caelus.find_token($1) t cross join lateral caelus.find_user(t.user_id) u`

const ADD = `
  insert into caelus.api_token (user_id, name, role, prefix, sha256, expires_at, created_at)
  values ($1, $2, $3, $4, $5, $6, date_trunc('milliseconds', now())) returning ${COLUMNS}`

/** Truncated to milliseconds like a cursor: with microseconds a row could be on two pages. */
const LIST = `
  select ${COLUMNS} from caelus.api_token
  where user_id = $1 and revoked_at is null and ($3::timestamptz is null or (created_at, id) < ($3, $4::uuid))
  order by created_at desc, id desc limit $2`

const REVOKE = `
  update caelus.api_token set revoked_at = now()
  where id = $1 and user_id = $2 and revoked_at is null returning id`

export const tokenStore = (pool: Pool): ApiTokens => {
  const owned = <Row extends object>(userId: string, text: string, values: readonly unknown[]): Promise<Row[]> =>
    asUser(pool, { userId, admin: false }, (tx) => tx.query<Row>(text, values))
  return {
    async add({ userId, name, role, prefix, hash, expiresAt }) {
      const [row] = await owned<TokenRow>(userId, ADD, [userId, name, role, prefix, hash, expiresAt])
      if (row === undefined) throw new Error(`failed to add an API token for user ${userId}`)
      return toToken(row)
    },
    async findByHash(hash) {
      const [row] = await pool.query<Found>(FIND, [hash])
      return row && { token: toToken(row), user: principalOf({ ...row, id: row.user_id }) }
    },
    async list(userId, { limit, after }) {
      const rows = await owned<TokenRow>(userId, LIST, [userId, limit + 1, ...timeMark(after)])
      return listed(rows.map(toToken), limit, ({ createdAt, id }) => [markOf(createdAt.getTime()), id])
    },
    async revoke(userId, id) {
      return (await owned(userId, REVOKE, [id, userId])).length === 1
    },
    async markUsed(id) {
      await pool.query('select caelus.mark_token_used($1)', [id])
    },
  }
}
