import { keyText, type Key } from './key.ts'

/** What a pure decide function was given and what it answered: enough to explain it, and to run it again. */
export interface DecisionRecord {
  readonly controller: string
  readonly key: Key
  /** When it was decided; the clock argument of the decide function. */
  readonly at: number
  readonly fence?: number
  readonly input: unknown
  readonly decision: unknown
}

/** The same record, whose parts are made fit to be read when somebody reads them: most are forgotten before. */
export function shownWhenRead(record: DecisionRecord, shown: (value: unknown) => unknown): DecisionRecord {
  let parts: { readonly input: unknown; readonly decision: unknown } | undefined
  const read = () => (parts ??= { input: shown(record.input), decision: shown(record.decision) })
  return {
    ...record,
    get input() {
      return read().input
    },
    get decision() {
      return read().decision
    },
  }
}

/** Where records go besides the ring: a table, a log. Must not throw into the loop; what it cannot keep it drops and counts. */
export type DecisionSink = (record: DecisionRecord) => void

export interface DecisionLog {
  add(record: DecisionRecord): void
  /** Newest first. */
  recent(key?: Key): DecisionRecord[]
  onAdd(listener: (record: DecisionRecord) => void): () => void
}

/** The last `size` decisions of this process, and a sink for all of them. */
export function decisionLog(sink: DecisionSink = () => {}, size = 100): DecisionLog {
  const ring: DecisionRecord[] = []
  const listeners = new Set<(record: DecisionRecord) => void>()
  return {
    add(record) {
      ring.push(record)
      if (ring.length > size) ring.shift()
      sink(record)
      for (const listener of listeners) listener(record)
    },
    recent: (key) => (key === undefined ? [...ring] : ring.filter((r) => keyText(r.key) === keyText(key))).toReversed(),
    onAdd(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

export interface Replay {
  readonly same: boolean
  readonly recorded: unknown
  readonly now: unknown
}

/** Runs an old decision again from its recorded input. A difference means that the deciding code has changed since. */
export function replay(record: DecisionRecord, decide: (input: never, at: number) => unknown): Replay {
  const now = decide(record.input as never, record.at)
  return { same: sameValue(record.decision, now), recorded: record.decision, now }
}

/**
 * Whether two JSON values say the same. Key order does not matter; a field that is `undefined` equals one that is absent,
 * because that is what becomes of it on the way to a database or an API server.
 */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => sameValue(item, b[i]))
  }
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>]
  for (const name of Object.keys(left)) if (!sameValue(left[name], right[name])) return false
  for (const name of Object.keys(right)) if (right[name] !== undefined && !Object.hasOwn(left, name)) return false
  return true
}
