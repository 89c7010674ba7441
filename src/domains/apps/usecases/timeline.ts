import {
  actorName,
  asUser,
  auditEntries,
  auditOf,
  decisionEntries,
  decisionsOf,
  found,
  PLATFORM,
  type Actor,
} from '../../../store/index.ts'
import { mergeTimeline, timelineEntry, type TimelineEntry } from '../../../kernel/index.ts'
import type { Decision } from '../decide.ts'
import { deploymentKey } from '../queue.ts'
import { findDeployment, listJobs, type DeploymentRef, type ListedJob } from '../store/index.ts'
import { decisionText, auditText, jobText } from '../words.ts'
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
    const decisions = await decisionsOf(tx, 'apps', deploymentKey(id), limit)
    const jobs = await listJobs(tx, { limit, deploymentId: id })
    const emails = await users.emailsOf(
      tx,
      changes.map((change) => change.actor),
    )
    return mergeTimeline(
      limit,
      auditEntries(changes, {
        actor: actorName(actor, emails),
        message: ({ action, detail }) => auditText(action, detail),
      }),
      decisionEntries(decisions, decisionWords),
      jobs.items.map(ofJob(actor)),
    )
  })
}

function decisionWords(decision: unknown): Pick<TimelineEntry, 'actor' | 'what' | 'message' | 'tone'> {
  const made = decision as Decision
  const { do: what } = made.step
  const tone = what === 'refuse' ? 'bad' : what === 'nothing' ? 'good' : 'wait'
  return { actor: PLATFORM, what, message: decisionText(made), tone }
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
