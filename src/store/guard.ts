import { refuse, RefusedFields } from '../kernel/index.ts'
import { audit, type AuditEntry } from './audit.ts'
import { isStorable, UNSTORABLE } from './columns.ts'
import { PLATFORM, type Actor } from './roles.ts'
import type { Tx } from './tx.ts'

/* What the use cases of all domains check before a change, and record with it. */

export function needsAdmin(actor: Actor, toDo: string): void {
  if (!actor.admin) throw refuse.NotAllowed(`only an admin may ${toDo}`)
}

/** Texts of a request, by the name of their field. */
export function refuseUnstorable(texts: Readonly<Record<string, string | null | undefined>>): void {
  const refused = Object.entries(texts).filter(([, text]) => typeof text === 'string' && !isStorable(text))
  if (refused.length > 0) throw new RefusedFields(refused.map(([field]) => ({ field, message: UNSTORABLE })))
}

export interface Precondition {
  /** The change was made on this generation; `ChangedMeanwhile` if it is another one now. */
  readonly ifGeneration?: number | undefined
}

export function checkGeneration(generation: number | undefined, { ifGeneration }: Precondition): void {
  if (ifGeneration === undefined || ifGeneration === generation) return
  throw refuse.ChangedMeanwhile(`the change was made on generation ${ifGeneration}, but it is ${generation} now`)
}

/** An object that the caller may not see is reported like one that does not exist. */
export function found<T>(thing: T | undefined, kind: string, id: string): T {
  if (thing === undefined) throw refuse.NotFound(`there is no ${kind} ${id}`)
  return thing
}

/** Writes the audit row of a change in the transaction of the change. */
export const note = (tx: Tx, actor: Actor, entry: Omit<AuditEntry, 'actor'>): Promise<void> =>
  audit(tx, { ...entry, actor: actor.userId ?? PLATFORM })
