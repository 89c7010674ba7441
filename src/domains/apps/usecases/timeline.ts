import { asUser, auditOf, decisionsOf, type Actor, type AuditRow, type DecisionRow } from '../../../store/index.ts'
import { mergeTimeline, timelineEntry, type TimelineEntry } from '../../../kernel/index.ts'
import type { Decision } from '../decide.ts'
import { deploymentKey } from '../queue.ts'
import { findDeployment, listJobs, type DeploymentRef, type ListedJob } from '../store/index.ts'
import { decisionText, auditText, jobText } from '../words.ts'
import { found } from '../../../store/index.ts'
import type { UseCaseDeps } from './deps.ts'

/** Audit rows, decisions and jobs. Only text made for people is taken from them, never values or inputs. */
export function timeline(
  { pool, users }: UseCaseDeps,
  actor: Actor,
  ref: DeploymentRef,
  limit = 100,
): Promise<readonly TimelineEntry[]> {
  return asUser(pool, actor, async (tx) => {
    const { id } = found(await findDeployment(tx, ref), 'deployment', ref.id)
    const changes = await auditOf(tx, deploymentKey(id), limit)
    const decisions = await decisionsOf(tx, deploymentKey(id), limit)
    const jobs = await listJobs(tx, { limit, deploymentId: id })
    const emails = await users.emailsOf(
      tx,
      changes.map((change) => change.actor),
    )
    return mergeTimeline(
      limit,
      changes.map(ofChange(actor, emails)),
      decisions.map(ofDecision),
      jobs.items.map(ofJob(actor)),
    )
  })
}

/** The actor of what the platform does by itself. */
const PLATFORM = 'platform'

/** Admins see the id of an actor whose email is unknown; tenants see `an admin`. */
function ofChange(actor: Actor, emails: ReadonlyMap<string, string>) {
  return ({ at, actor: by, action, detail }: AuditRow): TimelineEntry =>
    timelineEntry({
      at: at.getTime(),
      source: 'audit',
      actor: emails.get(by) ?? (actor.admin || by === PLATFORM ? by : 'an admin'),
      what: action,
      message: auditText(action, detail),
    })
}

function ofDecision({ at, decision, repeats }: DecisionRow): TimelineEntry {
  const made = decision as Decision
  const { do: what } = made.step
  const tone = what === 'refuse' ? 'bad' : what === 'nothing' ? 'good' : 'wait'
  const count = 1 + repeats
  return timelineEntry({ at, source: 'decision', actor: PLATFORM, what, message: decisionText(made), count, tone })
}

const TONES = { queued: 'wait', running: 'wait', done: 'good', failed: 'bad' } as const

/** Only admins see the names of workers. */
const ofJob =
  ({ admin }: Actor) =>
  (job: ListedJob): TimelineEntry =>
    timelineEntry({
      at: job.updatedAt,
      source: 'job',
      actor: (admin ? job.lockedBy : null) ?? PLATFORM,
      what: job.status,
      message: jobText(job),
      tone: TONES[job.status],
    })
