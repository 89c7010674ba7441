import type { ClientBase } from 'pg'
import { messageOf } from '../kernel/index.ts'
import { raise, sqlState } from './failures.ts'
import type { Pool } from './pool.ts'
import { inTx, type Tx, type TxOptions } from './tx.ts'

/** What the API may do, and what the workers may do. Whoever migrates owns the tables and is bound by neither. */
export const ROLES = ['caelus_api', 'caelus_worker'] as const
export type Role = (typeof ROLES)[number]

/** Whose rows a transaction may see and change. */
export interface Actor {
  /** Absent for the platform itself, for instance while it looks up whose token this is. */
  readonly userId?: string
  readonly admin: boolean
}

const ACT_AS = `
  select set_config('role', 'caelus_api', true), set_config('caelus.user_id', $1, true), set_config('caelus.is_admin', $2, true)`

/** A transaction in which row level security shows what `actor` may see. Role and actor end with it. */
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
 * Makes sure that the roles exist and that we may act as them.
 *
 * Roles belong to the whole server while migrations lock one database, so another database may be creating the same role
 * at this moment: its success is as good as ours.
 */
export async function ensureRoles(client: ClientBase): Promise<void> {
  for (const role of ROLES) {
    await unlessSomebodyDid(client, `create role ${role} nologin`, 'select 1 from pg_roles where rolname = $1', [role])
    await unlessSomebodyDid(
      client,
      `grant ${role} to current_user`,
      `select 1 where pg_has_role(current_user, $1, 'member')`,
      [role],
    )
  }
}

/** Already there (42710), inserted by another at this moment (23505), or its row changed under us (XX000). */
const SOMEBODY_DID = new Set(['42710', '23505', 'XX000'])

async function unlessSomebodyDid(
  client: ClientBase,
  statement: string,
  isDone: string,
  values: string[],
): Promise<void> {
  for (let attempt = 1; (await client.query(isDone, values)).rowCount === 0; attempt++) {
    try {
      await client.query(statement)
    } catch (error) {
      if (SOMEBODY_DID.has(sqlState(error) ?? '') && attempt < 10) continue
      throw raise.RoleMissing(`failed to run "${statement}": ${messageOf(error)}`, { cause: error })
    }
  }
}
