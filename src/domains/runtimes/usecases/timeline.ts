import type { DecisionRecord } from '../../../kernel/index.ts'
import { Event, type Reader } from '../../../kube/index.ts'
import { asUser, auditOf, decisionsOf, type Actor, type AuditRow, type Pool } from '../../../store/index.ts'
import { ClassRuntime } from '../class-runtime.ts'
import { decisionText } from '../words.ts'
import type { Decision, Phase } from '../types.ts'
import type { PhaseChange } from './history.ts'
import type { TimelineEntry } from './port.ts'
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

/** Four books merged: what people did, what the controller decided, what Kubernetes tells, and how the phase changed. */
export async function timelineOf(
  { client, pool, emailsOf }: TimelineParts,
  actor: Actor,
  { runtime, objects, phases }: TimelineSubject,
  limit: number,
  signal: AbortSignal,
): Promise<TimelineEntry[]> {
  const { namespace = '', uid = '', creationTimestamp } = runtime.metadata
  const key = { kind: ClassRuntime.kind, id: textOf(runtime.metadata) }
  const [events, [deeds, decisions]] = await Promise.all([
    client.list(Event, { namespace }, signal),
    asUser(pool, actor, async (tx) => [await auditOf(tx, key, limit), await decisionsOf(tx, key, limit)] as const),
  ])
  const emails = await emailsOf(deeds.map((deed) => deed.actor))
  const born = creationTimestamp === undefined ? 0 : Date.parse(creationTimestamp)
  return [
    ...deeds.map((deed) => ofDeed(deed, emails)),
    ...withActions(decisions).map(ofDecision),
    ...events.flatMap((event) => ofEvent(event, uid, objects)),
    ...phases.map(ofPhase),
  ]
    .filter(({ at, source }) => source === 'audit' || at >= born)
    .toSorted((a, b) => b.at - a.at)
    .slice(0, limit)
}

function ofDeed({ at, actor, action }: AuditRow, emails: ReadonlyMap<string, string>): TimelineEntry {
  const who = emails.get(actor) ?? actor
  return entry({ at: at.getTime(), source: 'audit', actor: who, what: action, message: `${action} by ${who}` })
}

const TONES: Readonly<Partial<Record<Phase, TimelineEntry['tone']>>> = { available: 'good', degraded: 'bad' }

const ofPhase = ({ at, from, to, message }: PhaseChange): TimelineEntry =>
  entry({
    at,
    source: 'phase',
    what: to,
    message: [from === undefined ? '' : `was ${from}`, message].filter(Boolean).join(': '),
    tone: TONES[to] ?? 'wait',
  })

/** A run decides before and after it acts; what it concludes in the end is told by the phase. */
const withActions = (records: readonly DecisionRecord[]): DecisionRecord[] =>
  records.filter(({ decision }) => (decision as Decision).actions.length > 0)

const MOST_TELLING = ['enforce', 'handBack', 'delete', 'apply', 'removeFinalizer', 'addFinalizer'] as const

function ofDecision({ at, controller, decision }: DecisionRecord): TimelineEntry {
  const made = decision as Decision
  const { actions, phase } = made
  const what = MOST_TELLING.find((deed) => actions.some((one) => one.do === deed)) ?? 'nothing'
  return entry({
    at,
    source: 'decision',
    actor: controller,
    what,
    message: decisionText(made),
    tone: TONES[phase] ?? 'wait',
  })
}

/** Those about the runtime itself and about what it is made of. */
function ofEvent(event: Event, uid: string, objects: ReadonlyMap<string, string>): TimelineEntry[] {
  const about = event.regarding?.uid ?? ''
  const object = objects.get(about) ?? null
  if (about !== uid && object === null) return []
  const last = event.series?.lastObservedTime ?? event.deprecatedLastTimestamp ?? event.eventTime
  const at = Date.parse(last ?? event.metadata.creationTimestamp ?? '')
  if (Number.isNaN(at)) return []
  return [
    entry({
      at,
      source: 'event',
      actor: event.reportingController || (event.deprecatedSource?.component ?? null),
      object,
      what: event.reason ?? '',
      message: event.note ?? '',
      count: event.series?.count ?? event.deprecatedCount ?? 1,
      tone: event.type === 'Warning' ? 'bad' : 'info',
    }),
  ]
}

const entry = (
  told: Pick<TimelineEntry, 'at' | 'source' | 'what' | 'message'> & Partial<TimelineEntry>,
): TimelineEntry => ({ actor: null, object: null, count: 1, tone: 'info', ...told })
