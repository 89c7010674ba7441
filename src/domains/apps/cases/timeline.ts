import { asUser, auditOf, decisionsOf, type Actor, type AuditRow } from '../../../store/index.ts'
import type { DecisionRecord, Failure } from '../../../kernel/index.ts'
import type { Decision } from '../decide.ts'
import { deploymentKey } from '../queue.ts'
import { emailsOf, findDeployment, listJobs, type DeploymentRef, type ListedJob } from '../store/index.ts'
import { found } from './guard.ts'
import type { TimelineEntry } from './port.ts'
import type { Room } from './room.ts'

/** Three books merged. Only words made for people are taken from them: never values, inputs or envelopes. */
export function timeline(
  { pool }: Room,
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
    return [...deeds.map((deed) => ofDeed(deed, emails)), ...decisions.map(ofDecision), ...jobs.items.map(ofJob)]
      .toSorted((a, b) => b.at - a.at)
      .slice(0, limit)
  })
}

function ofDeed({ at, actor, action, detail = {} }: AuditRow, emails: ReadonlyMap<string, string>): TimelineEntry {
  const message = Object.entries(detail)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')
  return { at: at.getTime(), source: 'audit', actor: emails.get(actor) ?? actor, what: action, message, tone: 'info' }
}

function ofDecision({ at, controller, decision }: DecisionRecord): TimelineEntry {
  const { step, status } = decision as Decision
  const failure = 'failure' in step ? step.failure : undefined
  const because = 'because' in step ? step.because : undefined
  return {
    at,
    source: 'decision',
    actor: controller,
    what: step.do,
    message: failure === undefined ? (because ?? status) : textOf(failure),
    tone: step.do === 'refuse' ? 'bad' : step.do === 'nothing' ? 'good' : 'wait',
  }
}

const TONES = { queued: 'wait', running: 'wait', done: 'good', failed: 'bad' } as const

function ofJob({ status, reason, attempt, updatedAt, lockedBy, lastError }: ListedJob): TimelineEntry {
  const tries = attempt === 0 ? '' : `, ${attempt} failed before`
  const why = lastError === null ? '' : `: ${textOf(lastError)}`
  return {
    at: updatedAt,
    source: 'job',
    actor: lockedBy,
    what: status,
    message: `${reason}${tries}${why}`,
    tone: TONES[status],
  }
}

const textOf = ({ code, message }: Failure): string => `${code}: ${message}`
