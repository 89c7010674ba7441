import { replay, type Replays } from '../kernel/index.ts'
import { diffFields } from '../kube/index.ts'
import {
  asUser,
  findDecision,
  listDecisions,
  newestDecision,
  type DecisionDetailRow,
  type DecisionFilter,
  type DecisionRow,
  type Listed,
  type PageOptions,
  type Pool,
} from '../store/index.ts'
import type { DecisionDetail, DecisionView, ReplayView } from './contract/index.ts'
import { failureView, fieldChangeView, timeView } from './routes/parts.ts'

/** The decisions of all processes that share the database. For admins. */
export interface Decisions {
  /** Newest first. */
  list(filter: DecisionFilter, page: PageOptions): Promise<Listed<DecisionView>>
  get(id: string): Promise<DecisionDetail | undefined>
  /** Decides again from the recorded input. */
  replay(id: string): Promise<ReplayView | undefined>
  /** The id of the newest one; `0`: there is none. */
  newest(): Promise<string>
}

export interface DecisionSources {
  readonly pool: Pool
  readonly version: string
  /** Masks secrets of the configuration; the domains mask those of their inputs before they are recorded. */
  readonly mask: <T>(value: T) => T
  /** A decision about an object of a kind, as a sentence. Absent: it is named by its fields. */
  readonly inWords: Readonly<Record<string, (decision: never) => string>>
  /** Read at every replay, because domains may be added while the server runs. */
  readonly replays: Replays
}

export function decisions({ pool, version, mask, inWords, replays }: DecisionSources): Decisions {
  const asAdmin = { admin: true } as const
  const view = (row: DecisionRow): DecisionView => mask(viewOf(row, inWords))
  const find = (id: string): Promise<DecisionDetailRow | undefined> =>
    asUser(pool, asAdmin, (tx) => findDecision(tx, id))
  return {
    async list(filter, page) {
      const { items, next } = await asUser(pool, asAdmin, (tx) => listDecisions(tx, filter, page))
      return { items: items.map(view), next }
    },
    async get(id) {
      const found = await find(id)
      return found && { ...view(found), input: mask(found.input), output: mask(found.decision) }
    },
    async replay(id) {
      const found = await find(id)
      return found && mask(replayView(found, replays, version))
    },
    newest: () => asUser(pool, asAdmin, newestDecision),
  }
}

function viewOf(row: DecisionRow, inWords: DecisionSources['inWords']): DecisionView {
  const { id, at, controller, key, decision, outcome, because, failure, ms, attempt, repeats, lastAt } = row
  return {
    id,
    at: timeView(at),
    controller,
    kind: key.kind,
    object_id: key.id,
    decision: textOf(decision, inWords[key.kind]),
    because: failure?.message ?? because ?? '',
    outcome,
    failure: failure && failureView(failure),
    ms,
    attempt,
    repeats,
    last_at: timeView(lastAt),
  }
}

/** A decision of an earlier version may not have the fields that its sentence is made from. */
function textOf(decision: unknown, inWords: ((decision: never) => string) | undefined): string {
  try {
    return inWords?.(decision as never) ?? contentsOf(decision)
  } catch {
    return contentsOf(decision)
  }
}

/** Its tag where it has one, or the names of its fields: `child, status`. */
function contentsOf(decision: unknown): string {
  if (typeof decision === 'string') return decision
  if (typeof decision !== 'object' || decision === null) return JSON.stringify(decision) ?? 'nothing'
  const { do: tag } = decision as { do?: unknown }
  return typeof tag === 'string' ? tag : Object.keys(decision).join(', ') || 'nothing'
}

function replayView(record: DecisionDetailRow, replays: Replays, version: string): ReplayView {
  const answer = replay(record, replays)
  switch (answer.is) {
    case 'same':
      return { result: 'same', because: null, changes: [], version }
    case 'different': {
      const changes = diffFields(record.decision, answer.now).map(fieldChangeView)
      return { result: 'different', because: null, changes, version }
    }
    case 'notReplayable':
      return { result: 'not_replayable', because: answer.because, changes: [], version }
    default:
      return answer satisfies never
  }
}
