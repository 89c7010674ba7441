import { timelineEntry, type TimelineEntry } from '../kernel/index.ts'
import type { AuditRow } from './audit.ts'
import type { DecisionRow } from './decisions.ts'

interface AuditWords {
  /** The actor of a row as the reader may see it. */
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

/** Decisions of a controller; `undefined`: this one is no entry. An equal decision that followed counts as a repeat. */
export const decisionEntries = (
  rows: readonly DecisionRow[],
  words: (decision: unknown) => DecisionWords | undefined,
): TimelineEntry[] =>
  rows.flatMap(({ at, controller, decision, repeats }) => {
    const entry = words(decision)
    return entry === undefined
      ? []
      : [timelineEntry({ at, source: 'decision', actor: controller, count: 1 + repeats, ...entry })]
  })
