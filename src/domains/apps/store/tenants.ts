import {
  isStorable,
  type Listed,
  listed,
  msOf,
  notOurs,
  type PageOptions,
  type Runner,
  type Tx,
} from '../../../store/index.ts'
import type { OwnedDomain } from '../types.ts'

/** Orders for a user take turns until the transaction ends, so that two at once cannot exceed the limit. */
export async function lockOrders(tx: Tx, userId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`deployments of ${userId}`])
}

/** Those of a user of which something is left. */
export async function countDeployments(on: Runner, userId: string): Promise<number> {
  const [row] = await on.query<{ count: number }>(
    `select count(*)::int as count from caelus.deployment where user_id = $1 and status <> 'deleted'`,
    [userId],
  )
  return row?.count ?? 0
}

/** Undefined: the user has none of their own. */
export async function findLimit(on: Runner, userId: string): Promise<number | undefined> {
  const [row] = await on.query<{ most: number }>('select most from caelus.deployment_limit where user_id = $1', [
    userId,
  ])
  return row?.most
}

/** `null`: that of the configuration from now on. */
export async function writeLimit(tx: Tx, userId: string, most: number | null): Promise<void> {
  if (most === null) await tx.query('delete from caelus.deployment_limit where user_id = $1', [userId])
  else {
    await tx.query(
      `insert into caelus.deployment_limit (user_id, most) values ($1, $2)
       on conflict (user_id) do update set most = excluded.most`,
      [userId, most],
    )
  }
}

interface DomainRow {
  readonly suffix: string
  readonly user_id: string
  readonly email: string | null
  readonly created_at: Date
}

const SELECT_DOMAINS = `
  select d.suffix, d.user_id, u.email, d.created_at
  from caelus.owned_domain d left join caelus.user u on u.id = d.user_id`

const domainOf = (row: DomainRow): OwnedDomain => ({
  suffix: row.suffix,
  userId: row.user_id,
  email: row.email ?? '',
  createdAt: msOf(row.created_at),
})

export interface DomainFilter extends PageOptions {
  readonly userId?: string | undefined
}

/** By name. */
export async function listOwnedDomains(
  on: Runner,
  { limit, after, userId }: DomainFilter,
): Promise<Listed<OwnedDomain>> {
  const [last = null] = after ?? []
  if (last !== null && !isStorable(last)) throw notOurs()
  const rows = await on.query<DomainRow>(
    `${SELECT_DOMAINS} where ($2::text is null or d.suffix > $2) and ($3::text is null or d.user_id::text = $3)
     order by d.suffix limit $1`,
    [limit + 1, last, userId ?? null],
  )
  return listed(rows.map(domainOf), limit, ({ suffix }) => [suffix])
}

export async function findOwnedDomain(on: Runner, suffix: string): Promise<OwnedDomain | undefined> {
  const [row] = await on.query<DomainRow>(`${SELECT_DOMAINS} where d.suffix = $1`, [suffix])
  return row && domainOf(row)
}

/** False: the suffix belongs to a user already. */
export async function insertOwnedDomain(tx: Tx, suffix: string, userId: string): Promise<boolean> {
  const rows = await tx.query(
    'insert into caelus.owned_domain (suffix, user_id) values ($1, $2) on conflict do nothing returning 1',
    [suffix, userId],
  )
  return rows.length > 0
}

export async function removeOwnedDomain(tx: Tx, suffix: string): Promise<void> {
  await tx.query('delete from caelus.owned_domain where suffix = $1', [suffix])
}

/** Asks beyond what the caller may see, and learns nothing but whose it is not. Undefined: it has no owner. */
export async function domainClaim(on: Runner, domain: string, userId: string): Promise<'own' | 'other' | undefined> {
  const [row] = await on.query<{ claim: 'own' | 'other' | null }>('select caelus.domain_claim($1, $2) as claim', [
    domain,
    userId,
  ])
  return row?.claim ?? undefined
}
