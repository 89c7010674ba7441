import { decide } from './decide.ts'
import { explain, explainGivenUp, isGivenUp, type ExplainInput } from './explain.ts'
import { raise } from './failures.ts'
import { Observer } from './observe.ts'
import type { Explanation } from '../../kernel/index.ts'
import type { AppsParts } from './parts.ts'

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
  if (isGivenUp(loaded.deployment, job)) return explainGivenUp(loaded.deployment)
  const { seen, wanted } = await new Observer(parts).observe(loaded, { ...(signal && { signal }) })
  const now = parts.clock.now()
  const { deployment } = loaded
  const decision = decide({ deployment, wanted, seen, attempt: job?.attempt ?? 0 }, now)
  return explain({ deployment, seen, decision, job }, now)
}
