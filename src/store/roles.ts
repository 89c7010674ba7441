import type { ClientBase } from 'pg'
import { messageOf } from '../kernel/index.ts'
import { raise, sqlState } from './failures.ts'
import type { Pool } from './pool.ts'
import { inTx, type Tx, type TxOptions } from './tx.ts'

/**
 * The roles of the API and of workers. The role that migrates owns the tables and is restricted by neither.
 */
export const ROLES = ['caelus_api', 'caelus_worker'] as const
export type Role = (typeof ROLES)[number]

/** The user whose rows a transaction may see and change. */
export interface Actor {
  /** Absent for the platform itself, for instance while it looks up the owner of a token. */
  readonly userId?: string
  readonly admin: boolean
}

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
      `select 1 where pg_has_role(current_user, $1, 'member')`,
      [role],
    )
  }
}

/** Exists already (42710), inserted concurrently (23505), or changed concurrently (XX000). */
const DONE_CONCURRENTLY = new Set(['42710', '23505', 'XX000'])

async function unlessDone(client: ClientBase, statement: string, isDone: string, values: string[]): Promise<void> {
  for (let attempt = 1; (await client.query(isDone, values)).rowCount === 0; attempt++) {
    try {
      await client.query(statement)
    } catch (error) {
      if (DONE_CONCURRENTLY.has(sqlState(error) ?? '') && attempt < 10) continue
      throw raise.RoleMissing(`failed to run "${statement}": ${messageOf(error)}`, { cause: error })
    }
  }
}
