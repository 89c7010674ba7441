import { timelineEntry, type TimelineEntry } from '../kernel/index.ts'
import type { AuditRow } from './audit.ts'
import type { DecisionRow } from './decisions.ts'
import { PLATFORM, type Actor } from './roles.ts'

/** The actor of an audit row, as `reader` may see it. `emails`: of the users that the reader may see. */
export const actorName =
  (reader: Actor, emails: ReadonlyMap<string, string>) =>
  (id: string): string =>
    emails.get(id) ?? (reader.admin || id === PLATFORM ? id : 'an admin')

interface AuditWords {
  /** See `actorName`. */
  readonly actor: (id: string) => string
  readonly message: (row: AuditRow, actor: string) => string
}

/** Changes by people and programs. */
export const auditEntries = (rows: readonly AuditRow[], words: AuditWords): TimelineEntry[] =>
  rows.map((row) => {
    const actor = words.actor(row.actor)
    return timelineEntry({
      at: row.at.getTime(),
      source: 'audit',
      actor,
      what: row.action,
      message: words.message(row, actor),
    })
  })

type DecisionWords = Pick<TimelineEntry, 'what' | 'message' | 'tone'> & Partial<Pick<TimelineEntry, 'actor'>>

/**
 * Decisions of a controller; `undefined`: this one is no entry. An equal decision that followed counts as a repeat. A
 * decision of an earlier version may lack fields that the words are made from, and is an entry without them.
 */
export const decisionEntries = (
  rows: readonly DecisionRow[],
  words: (decision: unknown) => DecisionWords | undefined,
): TimelineEntry[] =>
  rows.flatMap(({ at, controller, decision, repeats }) => {
    const entry = wordsOf(decision, words)
    return entry === undefined
      ? []
      : [timelineEntry({ at, source: 'decision', actor: controller, count: 1 + repeats, ...entry })]
  })

function wordsOf(
  decision: unknown,
  words: (decision: unknown) => DecisionWords | undefined,
): DecisionWords | undefined {
  try {
    return words(decision)
  } catch {
    return { what: 'decided', message: 'recorded by an earlier version', tone: 'info' }
  }
}
