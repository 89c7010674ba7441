import { FailureError, failureOf, sleep } from '../../../kernel/index.ts'
import { Namespace } from '../../../kube/index.ts'
import { viewing } from '../fence.ts'
import { raise } from '../failures.ts'
import { diagnose } from '../health/diagnostics.ts'
import type { Rollout } from '../helm/port.ts'
import type { Diagnostics, HandedOver } from '../observed.ts'
import { chartOf } from '../plan.ts'
import type { StepContext } from './step.ts'

/** Failures of Helm that may as well be those of an API server that went away: it words them in many ways. */
const UNCLEAR: ReadonlySet<string> = new Set(['HelmFailed', 'HookFailed', 'NeverHealthy'])

/** How often the pods are asked how they are while Helm waits for its hooks. */
const DIAGNOSE_MS = 5_000

/** What Helm is to apply: the chart, by its digest, with the values of the row. */
export async function rolloutOf(
  { parts, loaded, sighting, signal }: StepContext,
  timeoutMs: number,
  handOver: readonly HandedOver[],
): Promise<Rollout> {
  const { plan } = sighting
  if ('problem' in plan) throw new FailureError(plan.problem)
  const chart = await parts.charts.fetch(chartOf(loaded.template), signal)
  return { chart, values: plan.values, digest: plan.digest, timeoutMs, handOver, mask: sighting.mask }
}

/**
 * Runs Helm, and meanwhile keeps the last thing that the pods said: the policy of a hook may remove them before a request
 * could ask.
 */
export async function withDiagnostics<T>(context: StepContext, run: () => Promise<T>): Promise<T> {
  const { parts, signal } = context
  const over = new AbortController()
  let last: Diagnostics | undefined
  const since = parts.clock.now()
  const look = async (during: AbortSignal): Promise<void> => {
    last = (await diagnosed(context, since, during).catch(() => undefined)) ?? last
  }
  const watching = (async () => {
    for (;;) {
      await sleep(parts.clock, DIAGNOSE_MS, AbortSignal.any([over.signal, signal]))
      await look(over.signal)
    }
  })().catch(() => {})
  try {
    return await run()
  } catch (error) {
    const failure = failureOf(error)
    if (UNCLEAR.has(failure.code)) await assertReachable(context)
    if (failure.code !== 'HookFailed') throw error
    await look(signal)
    if (last === undefined) throw error
    throw raise.HookFailed(`${failure.message}; ${last.message}`, { cause: error })
  } finally {
    over.abort()
    await watching
  }
}

const diagnosed = (
  { parts, loaded, sighting }: StepContext,
  since: number,
  signal: AbortSignal,
): Promise<Diagnostics | undefined> =>
  diagnose(parts.client.as(viewing), { namespace: loaded.deployment.namespaceName, since }, sighting.mask, signal)

async function assertReachable({ parts, loaded, signal }: StepContext): Promise<void> {
  const name = loaded.deployment.namespaceName
  await parts.client.get(Namespace, { name }, signal).catch((error: unknown) => {
    if (failureOf(error).code === 'KubeUnreachable') throw error
  })
}
