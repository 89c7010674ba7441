import { createEmitter } from './emitter.ts'
import { keyText, type Key } from './key.ts'

/** The input and the answer of a pure decide function: enough to explain it, and to run it again. */
export interface DecisionRecord {
  readonly controller: string
  readonly key: Key
  /** When it was decided; the clock argument of the decide function. */
  readonly at: number
  readonly fence?: number
  /** On whose behalf; only the tenant and admins may read the record. */
  readonly tenant?: string
  readonly input: unknown
  readonly decision: unknown
}

/** The same record, masked by `shown` when it is read: most records never are. */
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

/** Receives every record: a table, a log. */
export type DecisionSink = (record: DecisionRecord) => void

export interface DecisionLog {
  add(record: DecisionRecord): void
  /** Newest first. */
  recent(key?: Key): DecisionRecord[]
  onAdd(listener: (record: DecisionRecord) => void): () => void
}

/**
 * The last `size` decisions of this process, and a sink for all of them. What the sink or a listener throws goes to
 * `onError`: a reconcile must not fail because its record could not be kept.
 */
export function decisionLog(
  sink: DecisionSink = () => {},
  size = 100,
  onError: (error: unknown) => void = () => {},
): DecisionLog {
  const ring: DecisionRecord[] = []
  const added = createEmitter<{ added: DecisionRecord }>(onError)
  added.on('added', sink)
  return {
    add(record) {
      ring.push(record)
      if (ring.length > size) ring.shift()
      added.emit('added', record)
    },
    recent: (key) => (key === undefined ? [...ring] : ring.filter((r) => keyText(r.key) === keyText(key))).toReversed(),
    onAdd: (listener) => added.on('added', listener),
  }
}

export interface Replay {
  readonly same: boolean
  readonly recorded: unknown
  readonly now: unknown
}

/** Runs an old decision again from its recorded input. A difference means that the decide function has changed since. */
export function replay(record: DecisionRecord, decide: (input: never, at: number) => unknown): Replay {
  const now = decide(record.input as never, record.at)
  return { same: sameValue(record.decision, now), recorded: record.decision, now }
}

/**
 * Whether two JSON values are equal. Key order does not matter; a field that is `undefined` equals one that is absent,
 * because JSON has no `undefined`.
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
