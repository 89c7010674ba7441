import type { Clock } from '../../kernel/index.ts'
import { DECISIONS_CHANNEL, type Listener } from '../../store/index.ts'
import type { DecisionView } from '../contract/index.ts'
import type { Decisions } from '../decisions.ts'
import type { Change, Events } from './events.ts'

export interface DecisionEventsOptions {
  readonly listener: Pick<Listener, 'subscribe'>
  readonly decisions: Pick<Decisions, 'list' | 'newest'>
  readonly events: Events
  readonly clock: Clock
  readonly onError: (error: unknown) => void
  /** New decisions are read at most once in this time. @default 1_000 */
  readonly everyMs?: number
}

/** Most events of one read. The list has all decisions, and an event makes clients read it again. */
const MOST_EVENTS = 20

/** Publishes new decisions of all processes to admins. Returns the way to stop. */
export function publishDecisions(options: DecisionEventsOptions): () => void {
  const { listener, decisions, events, clock, onError, everyMs = 1_000 } = options
  let newest: string | undefined
  let [nextAt, reading] = [0, Promise.resolve()]
  let cancel: (() => void) | undefined

  const read = async (): Promise<void> => {
    if (newest === undefined) {
      newest = await decisions.newest()
      return
    }
    const { items } = await decisions.list({ since: newest }, { limit: MOST_EVENTS })
    newest = items[0]?.id ?? newest
    for (const decision of items.toReversed()) events.publish(changeOf(decision), 'admins')
  }
  const readNow = (): void => {
    cancel = undefined
    nextAt = clock.now() + everyMs
    reading = reading.then(read).catch(onError)
  }
  const unsubscribe = listener.subscribe(DECISIONS_CHANNEL, () => {
    cancel ??= clock.after(nextAt - clock.now(), readNow)
  })
  return () => {
    unsubscribe()
    cancel?.()
  }
}

const changeOf = ({ kind, object_id, outcome, decision, failure }: DecisionView): Change => ({
  topic: 'decisions',
  kind,
  object_id,
  reason: outcome ?? 'decided',
  message: decision,
  tone: failure === null ? 'info' : 'bad',
})
