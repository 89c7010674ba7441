import type { ClientBase } from 'pg'
import { messageOf } from '../kernel/index.ts'
import { raise, sqlState } from './failures.ts'
import type { Pool } from './pool.ts'
import { inTx, type Tx, type TxOptions } from './tx.ts'

/**
 * The group roles of the API and of workers. Processes log in with a member of one of them, or as the role
 * that migrates, which owns the tables, and set the group role.
 */
export const ROLES = ['caelus_api', 'caelus_worker'] as const
export type Role = (typeof ROLES)[number]

/** The user whose rows a transaction may see and change. */
export interface Actor {
  /** Absent for the platform itself, for instance while it looks up the owner of a token. */
  readonly userId?: string
  readonly admin: boolean
}

/** The name of an actor without a user: the platform itself. */
export const PLATFORM = 'platform'

/** Settings of a pool of the API whose statements act for the platform: it sees the rows of all tenants. */
export const AS_PLATFORM = { 'caelus.is_admin': 'true' } as const

const ACT_AS = `
  select set_config('role', 'caelus_api', true), set_config('caelus.user_id', $1, true), set_config('caelus.is_admin', $2, true)`

/** Runs a transaction under row level security for `actor`. Role and actor are reset at its end. */
export function asUser<T>(pool: Pool, actor: Actor, work: (tx: Tx) => Promise<T>, options?: TxOptions): Promise<T> {
  return inTx(
    pool,
    async (tx) => {
      await tx.query(ACT_AS, [actor.userId ?? '', String(actor.admin)])
      return await work(tx)
    },
    options,
  )
}

const SEE_ALL = `
  with present as materialized (select current_setting('caelus.is_admin', true) as before)
  select before, set_config('caelus.is_admin', $1, true) from present`

/**
 * Runs a part of the transaction that sees and changes rows of all tenants. For changes that reach other users' objects because
 * of an object that the actor may change: the caller has checked that.
 */
export async function asPlatform<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  const [row] = await tx.query<{ before: string | null }>(SEE_ALL, ['true'])
  const answer = await work()
  await tx.query(SEE_ALL, [row?.before ?? ''])
  return answer
}

/**
 * Creates the roles if they are missing, and grants them to the current user.
 *
 * Roles belong to the whole server while migrations lock one database: another migration may create the same
 * role at the same time, which counts as success.
 */
export async function ensureRoles(client: ClientBase): Promise<void> {
  for (const role of ROLES) {
    await unlessDone(client, `create role ${role} nologin`, 'select 1 from pg_roles where rolname = $1', [role])
    await unlessDone(
      client,
      `grant ${role} to current_user`,
      // Since PostgreSQL 16 the creator of a role is a member that may grant it and may not set it.
      `select 1 where pg_has_role(current_user, $1, 'set')`,
      [role],
    )
  }
}

/** Exists already (42710), inserted concurrently (23505), or changed concurrently (XX000). */
const CONCURRENT = new Set(['42710', '23505', 'XX000'])

const MOST_ATTEMPTS = 10

/** Repeats a change of a role while other processes change the same one. */
export async function despiteConcurrency<T>(change: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await change()
    } catch (error) {
      if (attempt >= MOST_ATTEMPTS || !CONCURRENT.has(sqlState(error) ?? '')) throw error
    }
  }
}

/** Runs a statement about a role of the server, unless `isDone` finds a row. */
export async function unlessDone(
  client: ClientBase,
  statement: string,
  isDone: string,
  values: string[],
): Promise<void> {
  await despiteConcurrency(async () => {
    if ((await client.query(isDone, values)).rowCount === 0) await client.query(statement)
  }).catch((error: unknown) => {
    throw raise.RoleMissing(`failed to run "${statement}": ${messageOf(error)}`, { cause: error })
  })
}
