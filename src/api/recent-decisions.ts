import {
  keyText,
  type DecisionLog,
  type DecisionRecord,
  type Emitter,
  type Key,
  type KernelEvents,
} from '../kernel/index.ts'
import type { DecisionDetail } from './contract/index.ts'
import type { Events } from './live/events.ts'

/** The decisions of this process whose reconcile has ended, joined with how it ended. */
export interface RecentDecisions {
  /** Newest first. */
  list(): DecisionDetail[]
  get(id: string): DecisionDetail | undefined
  close(): void
}

export interface DecisionSources {
  readonly log: DecisionLog
  readonly kernel: Emitter<KernelEvents>
  readonly events: Events
  /** Masks what must not be shown; inputs are whatever a domain observed. */
  readonly mask: (value: unknown) => unknown
  /** A decision about an object of a kind, as a sentence. Absent: it is called by what it contains. */
  readonly inWords?: Readonly<Record<string, (decision: never) => string>>
}

export function recentDecisions(
  { log, kernel, events, mask, inWords = {} }: DecisionSources,
  size = 100,
): RecentDecisions {
  const pages: DecisionDetail[] = []
  const open = new Map<string, { attempt: number; records: DecisionRecord[] }>()
  let count = 0
  const runOf = (controller: string, key: Key): string => `${controller} ${keyText(key)}`

  const stop = [
    kernel.on('reconcile:start', ({ controller, key, attempt }) => {
      open.set(runOf(controller, key), { attempt, records: [] })
    }),
    log.onAdd((record) => open.get(runOf(record.controller, record.key))?.records.push(record)),
    kernel.on('reconcile:end', ({ controller, key, ms, outcome, because, failure }) => {
      const name = runOf(controller, key)
      const run = open.get(name)
      open.delete(name)
      for (const record of run?.records ?? []) {
        const page: DecisionDetail = {
          id: String(++count),
          at: new Date(record.at).toISOString(),
          controller,
          kind: key.kind,
          object_id: key.id,
          decision: inWords[key.kind]?.(record.decision as never) ?? contentsOf(record.decision),
          because: failure?.message ?? because ?? '',
          outcome,
          ms: Math.round(ms),
          attempt: run?.attempt ?? 0,
          input: mask(record.input),
          output: mask(record.decision),
        }
        pages.push(page)
        if (pages.length > size) pages.shift()
        const tone = failure === undefined ? 'info' : 'bad'
        events.publish(
          { topic: 'decisions', kind: key.kind, object_id: key.id, reason: outcome, message: page.decision, tone },
          ({ role }) => role === 'admin',
        )
      }
    }),
  ]
  return {
    list: () => pages.toReversed(),
    get: (id) => pages.find((page) => page.id === id),
    close: () => stop.forEach((end) => end()),
  }
}

/** By its tag where it has one, or by what it is about: `child, status`. */
function contentsOf(decision: unknown): string {
  if (typeof decision === 'string') return decision
  if (typeof decision !== 'object' || decision === null) return JSON.stringify(decision) ?? 'nothing'
  const { do: tag } = decision as { do?: unknown }
  return typeof tag === 'string' ? tag : Object.keys(decision).join(', ') || 'nothing'
}
