import { mergeTimeline, timelineEntry, type TimelineEntry } from '../../../kernel/index.ts'
import { Event, kubeEventEntries, type Reader } from '../../../kube/index.ts'
import {
  actorName,
  asUser,
  auditEntries,
  auditOf,
  decisionEntries,
  decisionsOf,
  type Actor,
  type Pool,
} from '../../../store/index.ts'
import { ClassRuntime } from '../class-runtime.ts'
import { decisionText } from '../words.ts'
import type { Decision, Phase } from '../types.ts'
import type { PhaseChange } from './history.ts'
import { textOf } from './write.ts'

export interface TimelineParts {
  readonly client: Reader
  readonly pool: Pool
  /** Emails of the users that `actor` may see, by their ids. */
  readonly emailsOf: (actor: Actor, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>
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
  actor: Actor,
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
      async (tx) => [await auditOf(tx, key, limit), await decisionsOf(tx, 'runtimes', key, limit)] as const,
    ),
  ])
  const emails = await emailsOf(
    actor,
    changes.map((change) => change.actor),
  )
  const born = creationTimestamp === undefined ? 0 : Date.parse(creationTimestamp)
  const isOfThisObject = ({ at }: TimelineEntry): boolean => at >= born
  const about = (id: string): string | null | undefined => (id === uid ? null : objects.get(id))
  return mergeTimeline(
    limit,
    auditEntries(changes, { actor: actorName(actor, emails), message: ({ action }, who) => `${action} by ${who}` }),
    decisionEntries(decisions, decisionWords).filter(isOfThisObject),
    kubeEventEntries(events, about).filter(isOfThisObject),
    phases.map(ofPhase).filter(isOfThisObject),
  )
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

const MOST_TELLING = ['enforce', 'handBack', 'delete', 'apply', 'removeFinalizer', 'addFinalizer'] as const

/** A run decides before and after it acts; only decisions with actions are entries, the phase shows the result. */
function decisionWords(decision: unknown): Pick<TimelineEntry, 'what' | 'message' | 'tone'> | undefined {
  const made = decision as Decision
  const { actions, phase } = made
  if (actions.length === 0) return undefined
  const what = MOST_TELLING.find((kind) => actions.some((one) => one.do === kind)) ?? 'nothing'
  return { what, message: decisionText(made), tone: TONES[phase] ?? 'wait' }
}
