import { decide } from './decide.ts'
import { explain, explainGivenUp, explainSuspended, isGivenUp, type ExplainInput } from './explain.ts'
import { raise } from './failures.ts'
import { Observer } from './observe.ts'
import type { Explanation } from '../../kernel/index.ts'
import type { AppsParts } from './parts.ts'
import { inputOf } from './reconciler.ts'
import { APPS_BACKOFF } from './rollout.ts'

/** Observes the deployment as a worker would now, and explains what it would do. Read-only. */
export async function explainNow(
  parts: AppsParts,
  id: string,
  job: ExplainInput['job'],
  signal?: AbortSignal,
): Promise<Explanation> {
  const loaded = await parts.rows.load(id)
  if (loaded === undefined)
    throw raise.TemplateMissing(`failed to explain deployment ${id}: it, or its template, is not there`)
  const { suspendedAt, deletedAt } = loaded.deployment
  if (suspendedAt !== null && deletedAt === null) return explainSuspended(loaded.deployment)
  if (isGivenUp(loaded.deployment, job)) return explainGivenUp(loaded.deployment)
  const observation = await new Observer(parts).observe(loaded, { ...(signal && { signal }) })
  const now = parts.clock.now()
  const decision = decide(inputOf(loaded, observation, { attempt: job?.attempt ?? 0, backoff: APPS_BACKOFF }), now)
  return explain({ deployment: loaded.deployment, seen: observation.seen, decision, job }, now)
}
