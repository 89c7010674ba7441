import { failureOf, type Clock, type Explanation } from '../../kernel/index.ts'
import { decide } from './decide.ts'
import { explain, type ExplainedJob } from './explain.ts'
import { glimpse, observe, type ObserveDeps } from './observe.ts'
import { inputOf } from './reconciler.ts'
import type { LoadedCluster } from './rows.ts'

/** Observes the cluster as a worker would now, and explains what it would do. Read-only. */
export async function explainNow(
  deps: ObserveDeps & { readonly clock: Clock },
  loaded: LoadedCluster,
  job: ExplainedJob | null,
  signal: AbortSignal,
): Promise<Explanation> {
  const now = deps.clock.now()
  const observation = deps.gardener.shoots.isCurrent
    ? glimpse(deps, loaded)
    : await observe(deps, loaded, { isApplied: false }, signal).catch(failureOf)
  if (!('seen' in observation)) return explain({ ...loaded, unseen: observation, job }, now)
  const decision = decide(inputOf(loaded, observation), now)
  return explain({ ...loaded, seen: observation.seen, decision, job }, now)
}
