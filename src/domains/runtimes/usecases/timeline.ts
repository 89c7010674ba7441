import { mergeTimeline, timelineEntry, type TimelineEntry } from '../../../kernel/index.ts'
import { Event, eventEntry, type Reader } from '../../../kube/index.ts'
import { asUser, auditOf, decisionsOf, type AuditRow, type DecisionRow, type Pool } from '../../../store/index.ts'
import { ClassRuntime } from '../class-runtime.ts'
import { decisionText } from '../words.ts'
import type { Decision, Phase } from '../types.ts'
import type { PhaseChange } from './history.ts'
import { textOf } from './write.ts'

export interface TimelineParts {
  readonly client: Reader
  readonly pool: Pool
  /** Emails of people, by their ids. */
  readonly emailsOf: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

export interface TimelineSubject {
  readonly runtime: ClassRuntime
  /** `Deployment/shop--cart` by the uid of the object. */
  readonly objects: ReadonlyMap<string, string>
  readonly phases: readonly PhaseChange[]
}

/** Audit rows, decisions, Kubernetes Events and phase changes; of an earlier object of the same name only audit rows. */
export async function timelineOf(
  { client, pool, emailsOf }: TimelineParts,
  { runtime, objects, phases }: TimelineSubject,
  limit: number,
  signal: AbortSignal,
): Promise<TimelineEntry[]> {
  const { namespace = '', uid = '', creationTimestamp } = runtime.metadata
  const key = { kind: ClassRuntime.kind, id: textOf(runtime.metadata) }
  const [events, [changes, decisions]] = await Promise.all([
    client.list(Event, { namespace }, signal),
    // Everyone who is logged in may read a runtime, and its rows have no tenant.
    asUser(
      pool,
      { admin: true },
      async (tx) => [await auditOf(tx, key, limit), await decisionsOf(tx, key, limit)] as const,
    ),
  ])
  const emails = await emailsOf(changes.map((change) => change.actor))
  const born = creationTimestamp === undefined ? 0 : Date.parse(creationTimestamp)
  const isOfThisObject = ({ at }: TimelineEntry): boolean => at >= born
  return mergeTimeline(
    limit,
    changes.map((change) => ofChange(change, emails)),
    withActions(decisions).map(ofDecision).filter(isOfThisObject),
    events.flatMap((event) => ofEvent(event, uid, objects)).filter(isOfThisObject),
    phases.map(ofPhase).filter(isOfThisObject),
  )
}

function ofChange({ at, actor, action }: AuditRow, emails: ReadonlyMap<string, string>): TimelineEntry {
  const who = emails.get(actor) ?? actor
  return timelineEntry({ at: at.getTime(), source: 'audit', actor: who, what: action, message: `${action} by ${who}` })
}

const TONES: Readonly<Partial<Record<Phase, TimelineEntry['tone']>>> = { available: 'good', degraded: 'bad' }

const ofPhase = ({ at, from, to, message }: PhaseChange): TimelineEntry =>
  timelineEntry({
    at,
    source: 'phase',
    what: to,
    message: [from === undefined ? '' : `was ${from}`, message].filter(Boolean).join(': '),
    tone: TONES[to] ?? 'wait',
  })

/** A run decides before and after it acts; only decisions with actions are entries, the phase shows the result. */
const withActions = (records: readonly DecisionRow[]): DecisionRow[] =>
  records.filter(({ decision }) => (decision as Decision).actions.length > 0)

const MOST_TELLING = ['enforce', 'handBack', 'delete', 'apply', 'removeFinalizer', 'addFinalizer'] as const

function ofDecision({ at, controller, decision, repeats }: DecisionRow): TimelineEntry {
  const made = decision as Decision
  const { actions, phase } = made
  const what = MOST_TELLING.find((kind) => actions.some((one) => one.do === kind)) ?? 'nothing'
  return timelineEntry({
    at,
    source: 'decision',
    actor: controller,
    what,
    message: decisionText(made),
    count: 1 + repeats,
    tone: TONES[phase] ?? 'wait',
  })
}

/** Those about the runtime itself and about what it is made of. */
function ofEvent(event: Event, uid: string, objects: ReadonlyMap<string, string>): TimelineEntry[] {
  const about = event.regarding?.uid ?? ''
  const object = objects.get(about) ?? null
  if (about !== uid && object === null) return []
  const entry = eventEntry(event, object)
  return entry === undefined ? [] : [entry]
}
