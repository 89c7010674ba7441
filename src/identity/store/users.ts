import {
  isId,
  type Listed,
  listed,
  markOf,
  msOf,
  msOrNull,
  type PageOptions,
  type Runner,
  timeMark,
  type Tx,
} from '../../store/index.ts'
import type { User } from '../types.ts'

export interface UserFilter extends PageOptions {
  /** Exactly this email, in upper or lower case: it belongs to one user. */
  readonly email?: string | undefined
}

interface UserRow {
  readonly id: string
  readonly email: string
  readonly is_admin: boolean
  readonly generation: string
  readonly created_at: Date
  readonly deleted_at: Date | null
}

const SELECT = `
  select id, email, is_admin, generation, date_trunc('milliseconds', created_at) as created_at, deleted_at
  from caelus.user u where deleted_at is null`

const userOf = (row: UserRow): User => ({
  id: row.id,
  email: row.email,
  isAdmin: row.is_admin,
  generation: Number(row.generation),
  createdAt: msOf(row.created_at),
  deletedAt: msOrNull(row.deleted_at),
})

/** Deleted users are not found. */
export async function findUser(on: Runner, id: string): Promise<User | undefined> {
  if (!isId(id)) return undefined
  const [row] = await on.query<UserRow>(`${SELECT} and id = $1`, [id])
  return row && userOf(row)
}

/** Until the transaction ends, no other one can insert a row that refers to the user. */
export async function lockUser(tx: Tx, id: string): Promise<User | undefined> {
  if (!isId(id)) return undefined
  await tx.query('select from caelus.user where id = $1 for update', [id])
  return await findUser(tx, id)
}

/** The ids of all admins. Until the transaction ends, no other one can remove an admin. */
export async function lockAdmins(tx: Tx): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    'select id from caelus.user where is_admin and deleted_at is null order by id for update',
  )
  return rows.map(({ id }) => id)
}

export async function listUsers(on: Runner, { limit, after, email }: UserFilter): Promise<Listed<User>> {
  const rows = await on.query<UserRow>(
    `${SELECT} and ($2::timestamptz is null or (date_trunc('milliseconds', created_at), id) < ($2, $3::uuid))
       and ($4::text is null or lower(email) = lower($4))
     order by date_trunc('milliseconds', created_at) desc, id desc limit $1`,
    [limit + 1, ...timeMark(after), email ?? null],
  )
  return listed(rows.map(userOf), limit, ({ createdAt, id }) => [markOf(createdAt), id])
}

/** Restores a deleted user with this email. `undefined`: the email belongs to another user. */
export async function insertUser(tx: Tx, user: Pick<User, 'email' | 'isAdmin'>): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(
    `insert into caelus.user as u (email, is_admin) values ($1, $2)
     on conflict (lower(email)) do update set deleted_at = null, is_admin = excluded.is_admin
       where u.deleted_at is not null
     returning id`,
    [user.email, user.isAdmin],
  )
  return row?.id
}

export async function changeUser(tx: Tx, id: string, user: Pick<User, 'email' | 'isAdmin'>): Promise<void> {
  await tx.query('update caelus.user set email = $2, is_admin = $3 where id = $1', [id, user.email, user.isAdmin])
}

/** Voids all sessions, tokens and memberships, so that they stay void if the user is restored. */
export async function removeUser(tx: Tx, id: string): Promise<void> {
  await tx.query('update caelus.user set deleted_at = now(), sessions_from = now() where id = $1', [id])
  await tx.query('update caelus.api_token set revoked_at = now() where user_id = $1 and revoked_at is null', [id])
  await tx.query('delete from tenant.organization_members where user_id = $1', [id])
}

/** The emails of the users that the caller may see. */
export async function emailsOf(on: Runner, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await on.query<{ id: string; email: string }>(
    'select id, email from caelus.user where id = any ($1::uuid[])',
    [ids.filter(isId)],
  )
  return new Map(rows.map(({ id, email }) => [id, email]))
}
