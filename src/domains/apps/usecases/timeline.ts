import { asUser, auditOf, decisionsOf, type Actor, type AuditRow } from '../../../store/index.ts'
import type { DecisionRecord } from '../../../kernel/index.ts'
import type { Decision } from '../decide.ts'
import { deploymentKey } from '../queue.ts'
import { emailsOf, findDeployment, listJobs, type DeploymentRef, type ListedJob } from '../store/index.ts'
import { decisionText, auditText, jobText } from '../words.ts'
import { found } from './guard.ts'
import type { TimelineEntry } from './port.ts'
import type { UseCaseDeps } from './deps.ts'

/** Three books merged. Only words made for people are taken from them: never values, inputs or envelopes. */
export function timeline(
  { pool }: UseCaseDeps,
  actor: Actor,
  ref: DeploymentRef,
  limit = 100,
): Promise<readonly TimelineEntry[]> {
  return asUser(pool, actor, async (tx) => {
    const { id } = found(await findDeployment(tx, ref), 'deployment', ref.id)
    const deeds = await auditOf(tx, deploymentKey(id), limit)
    const decisions = await decisionsOf(tx, deploymentKey(id), limit)
    const jobs = await listJobs(tx, { limit, deploymentId: id })
    const emails = await emailsOf(
      tx,
      deeds.map((deed) => deed.actor),
    )
    return [...deeds.map(deedOf(actor, emails)), ...decisions.map(ofDecision), ...jobs.items.map(jobOf(actor))]
      .toSorted((a, b) => b.at - a.at)
      .slice(0, limit)
  })
}

/** Who did what nobody asked for by name. */
const PLATFORM = 'platform'

/** An admin sees who; to a tenant everybody else who may touch what is theirs is an admin. */
function deedOf(actor: Actor, emails: ReadonlyMap<string, string>) {
  return ({ at, actor: by, action, detail }: AuditRow): TimelineEntry => ({
    at: at.getTime(),
    source: 'audit',
    actor: emails.get(by) ?? (actor.admin || by === PLATFORM ? by : 'an admin'),
    what: action,
    message: auditText(action, detail),
    tone: 'info',
  })
}

function ofDecision({ at, decision }: DecisionRecord): TimelineEntry {
  const made = decision as Decision
  const { do: what } = made.step
  const tone = what === 'refuse' ? 'bad' : what === 'nothing' ? 'good' : 'wait'
  return { at, source: 'decision', actor: PLATFORM, what, message: decisionText(made), tone }
}

const TONES = { queued: 'wait', running: 'wait', done: 'good', failed: 'bad' } as const

/** The names of our machines are nobody's business but an admin's. */
const jobOf =
  ({ admin }: Actor) =>
  (job: ListedJob): TimelineEntry => ({
    at: job.updatedAt,
    source: 'job',
    actor: (admin ? job.lockedBy : null) ?? PLATFORM,
    what: job.status,
    message: jobText(job),
    tone: TONES[job.status],
  })
