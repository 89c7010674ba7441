import { asUser, listed, markOf, note, timeMark, type Actor, type Pool, type Tx } from '../../store/index.ts'
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
  where id = $1 and user_id = $2 and revoked_at is null returning ${COLUMNS}`

type Owner = Actor & { readonly userId: string }

const noteToken = (tx: Tx, owner: Owner, action: string, { id, prefix, role }: TokenRow): Promise<void> =>
  note(tx, owner, { action, object: { kind: 'ApiToken', id }, tenant: owner.userId, detail: { prefix, role } })

export const tokenStore = (pool: Pool): ApiTokens => {
  const as = <T>(userId: string, work: (tx: Tx, owner: Owner) => Promise<T>): Promise<T> => {
    const owner = { userId, admin: false }
    return asUser(pool, owner, (tx) => work(tx, owner))
  }
  return {
    add: ({ userId, name, role, prefix, hash, expiresAt }) =>
      as(userId, async (tx, owner) => {
        const [row] = await tx.query<TokenRow>(ADD, [userId, name, role, prefix, hash, expiresAt])
        if (row === undefined) throw new Error(`failed to add an API token for user ${userId}`)
        await noteToken(tx, owner, 'created', row)
        return toToken(row)
      }),
    async findByHash(hash) {
      const [row] = await pool.query<Found>(FIND, [hash])
      return row && { token: toToken(row), user: principalOf({ ...row, id: row.user_id }) }
    },
    async list(userId, { limit, after }) {
      const values = [userId, limit + 1, ...timeMark(after)]
      const rows = await as(userId, (tx) => tx.query<TokenRow>(LIST, values))
      return listed(rows.map(toToken), limit, ({ createdAt, id }) => [markOf(createdAt.getTime()), id])
    },
    revoke: (userId, id) =>
      as(userId, async (tx, owner) => {
        const [row] = await tx.query<TokenRow>(REVOKE, [id, userId])
        if (row === undefined) return false
        await noteToken(tx, owner, 'revoked', row)
        return true
      }),
    async markUsed(id) {
      await pool.query('select caelus.mark_token_used($1)', [id])
    },
  }
}
