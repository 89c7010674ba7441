import type { Clock, Explanation } from '../../kernel/index.ts'
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
    : await observe(deps, loaded, { isApplied: false }, signal).catch(() => undefined)
  if (observation === undefined) return explain({ ...loaded, job }, now)
  const decision = decide(inputOf(loaded, observation), now)
  return explain({ ...loaded, seen: observation.seen, decision, job }, now)
}
