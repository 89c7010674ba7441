import { createHash } from 'node:crypto'
import type { Runner } from './pool.ts'
import type { Tx } from './tx.ts'

/** A deliberate change: who did what to which object. */
export interface AuditEntry {
  /** A user's id, or the name of the process that acted without one. */
  readonly actor: string
  /** A verb in the past tense: `created`, `approved`. */
  readonly action: string
  readonly object: { readonly kind: string; readonly id: string }
  /** Whose object it is: the tenant may read the row. Absent: only admins and the actor may. */
  readonly tenant?: string
  /** Stored as digests only: a value can be compared but not read. Absent: did not exist. */
  readonly before?: unknown
  readonly after?: unknown
  /** Visible to all who may read the row: must not hold contents of objects. */
  readonly detail?: Readonly<Record<string, string | number | boolean>>
}

export interface AuditRow {
  readonly id: number
  readonly at: Date
  readonly actor: string
  readonly action: string
  readonly object: { readonly kind: string; readonly id: string }
  readonly beforeSha256: string | undefined
  readonly afterSha256: string | undefined
  readonly detail: Readonly<Record<string, string | number | boolean>> | undefined
}

/** Takes a transaction: the change and its audit row commit together. */
export async function audit(
  tx: Tx,
  { actor, action, object, tenant, before, after, detail }: AuditEntry,
): Promise<void> {
  await tx.query(
    `insert into caelus.audit (actor, action, object_kind, object_id, before_sha256, after_sha256, detail, tenant)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [actor, action, object.kind, object.id, digest(before), digest(after), detail ?? null, tenant ?? null],
  )
}

/** The audit rows of an object, newest first: `only` those of one action, or all `but` those. */
export async function auditOf(
  on: Runner,
  object: AuditRow['object'],
  limit = 100,
  { only, but }: { readonly only?: string; readonly but?: string } = {},
): Promise<AuditRow[]> {
  const rows = await on.query<Stored>(
    `select id, at, actor, action, before_sha256, after_sha256, detail
     from caelus.audit
     where object_kind = $1 and object_id = $2 and ($4::text is null or action = $4) and ($5::text is null or action <> $5)
     order by id desc limit $3`,
    [object.kind, object.id, limit, only ?? null, but ?? null],
  )
  return rows.map(({ id, at, actor, action, before_sha256, after_sha256, detail }) => ({
    id: Number(id),
    at,
    actor,
    action,
    object,
    beforeSha256: before_sha256?.toString('hex'),
    afterSha256: after_sha256?.toString('hex'),
    detail: detail ?? undefined,
  }))
}

interface Stored {
  readonly id: string
  readonly at: Date
  readonly actor: string
  readonly action: string
  readonly before_sha256: Buffer | null
  readonly after_sha256: Buffer | null
  readonly detail: AuditRow['detail'] | null
}

const digest = (value: unknown): Buffer | null =>
  value === undefined ? null : createHash('sha256').update(canonical(value)).digest()

/** JSON with sorted keys, so that equal values have equal digests. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
