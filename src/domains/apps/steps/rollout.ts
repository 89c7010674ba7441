import { FailureError, failureOf, sleep } from '../../../kernel/index.ts'
import { Namespace } from '../../../kube/index.ts'
import { diagnose } from '../health/diagnostics.ts'
import { raise } from '../failures.ts'
import type { Rollout } from '../helm/port.ts'
import type { Diagnostics, HandedOver } from '../observed.ts'
import { chartOf } from '../plan.ts'
import type { OnFailure } from './types.ts'
import type { StepContext } from './step.ts'

/** Failures of Helm that may as well be those of an API server that went away: it words them in many ways. */
const UNCLEAR: ReadonlySet<string> = new Set(['HelmFailed', 'NeverHealthy'])

/** How often the pods are asked how they are while Helm waits for them. */
const DIAGNOSE_MS = 5_000

/** What Helm is to apply: the chart, by its digest, with the values of the row. */
export async function rolloutOf(
  { parts, loaded, sighting, signal }: StepContext,
  timeoutMs: number,
  onFailure: OnFailure,
  handOver: readonly HandedOver[],
): Promise<Rollout> {
  const { plan } = sighting
  if ('problem' in plan) throw new FailureError(plan.problem)
  const chart = await parts.charts.fetch(chartOf(loaded.template), signal)
  return { chart, values: plan.values, digest: plan.digest, timeoutMs, onFailure, handOver, mask: sighting.mask }
}

/**
 * Runs Helm, and meanwhile keeps the last thing that the pods said: when Helm gives up it may remove them before anybody
 * could ask.
 */
export async function withDiagnostics<T>(context: StepContext, run: () => Promise<T>): Promise<T> {
  const { parts, loaded, sighting, signal } = context
  const over = new AbortController()
  let last: Diagnostics | undefined
  const watching = (async () => {
    for (;;) {
      await sleep(parts.clock, DIAGNOSE_MS, AbortSignal.any([over.signal, signal]))
      const told = await diagnose(parts.client, loaded.deployment.namespaceName, sighting.mask, over.signal).catch(
        () => undefined,
      )
      last = told ?? last
    }
  })().catch(() => {})
  try {
    return await run()
  } catch (error) {
    const { code } = failureOf(error)
    if (UNCLEAR.has(code)) await assertReachable(context)
    if (last === undefined || code !== 'NeverHealthy') throw error
    throw raise[last.code](last.message, { cause: error })
  } finally {
    over.abort()
    await watching
  }
}

async function assertReachable({ parts, loaded, signal }: StepContext): Promise<void> {
  const name = loaded.deployment.namespaceName
  await parts.client.get(Namespace, { name }, signal).catch((error: unknown) => {
    if (failureOf(error).code === 'KubeUnreachable') throw error
  })
}
