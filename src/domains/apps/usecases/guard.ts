import { refuse, RefusedFields } from '../../../kernel/index.ts'
import { audit, type Actor, type AuditEntry, type Tx } from '../../../store/index.ts'
import { isStorable } from '../values/json.ts'
import { UNSTORABLE } from '../schema/limits.ts'

export function needsAdmin(actor: Actor, toDo: string): void {
  if (!actor.admin) throw refuse.NotAllowed(`only an admin may ${toDo}`)
}

/** Texts that people write, by the name of their field. */
export function refuseUnstorable(texts: Readonly<Record<string, string | null | undefined>>): void {
  const refused = Object.entries(texts).filter(([, text]) => typeof text === 'string' && !isStorable(text))
  if (refused.length > 0) throw new RefusedFields(refused.map(([field]) => ({ field, message: UNSTORABLE })))
}

/** What the caller may not see is not told apart from what does not exist. */
export function found<T>(thing: T | undefined, kind: string, id: string): T {
  if (thing === undefined) throw refuse.NotFound(`there is no ${kind} ${id}`)
  return thing
}

/** Keeps the word of what was done in the transaction that does it. */
export const note = (tx: Tx, actor: Actor, entry: Omit<AuditEntry, 'actor'>): Promise<void> =>
  audit(tx, { ...entry, actor: actor.userId ?? 'platform' })
