import type { FunctionStatus } from '../class-runtime.ts'
import { findCrash, type CrashRules } from './crash-loop.ts'
import type { KnativeService } from '../watch/optional-kinds.ts'
import { conditionsOf, type Cause, type Verdict } from './phase.ts'
import type { Plan } from '../plan.ts'
import { detailOf, healthOfFunction, podsOf, refText, type ChildHealth } from './child-health.ts'
import { applyFailure, classify, failureText } from './outcomes.ts'
import type { RuntimesSettings } from '../settings.ts'
import type { ControllerUpdate, NewCondition } from '../status.ts'
import type { RenderedFunction } from '../templates/template.ts'
import type { ChildRef, Observed } from '../types.ts'

type NewFunction = Omit<FunctionStatus, 'lastTransitionTime'>

/** What the controller has to say about a runtime whose spec could be rendered. */
export function describe(
  seen: Observed,
  plan: Plan,
  health: readonly ChildHealth[],
  verdict: Verdict,
  settings: RuntimesSettings,
  crashes: CrashRules,
): ControllerUpdate {
  const { generation = 0 } = seen.runtime.metadata
  return {
    phase: verdict.phase,
    message: verdict.message,
    observed_generation: generation,
    template: plan.template.id,
    resource_refs: refsOf(health),
    routers: routersOf(seen),
    functions: functionsOf(seen, plan, health, verdict, crashes),
    conditions: [...conditionsOf(verdict, generation), ...telemetryOf(seen, settings)],
  }
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const refsOf = (health: readonly ChildHealth[]): ChildRef[] =>
  health
    .filter(({ live }) => live !== undefined)
    .map(({ child: { kind, name } }) => ({ kind, name }))
    .toSorted((a, b) => byText(refText(a), refText(b)))

const routersOf = ({ routers }: Observed): Observed['routers'][number][] =>
  routers
    .map(({ service, port }) => ({ service, port }))
    .toSorted((a, b) => byText(a.service, b.service) || a.port - b.port)

function functionsOf(
  seen: Observed,
  { template, rendered }: Plan,
  health: readonly ChildHealth[],
  verdict: Verdict,
  crashes: CrashRules,
): NewFunction[] {
  const keys = (seen.runtime.spec.functions ?? []).map(({ function_key }) => function_key)
  return keys.flatMap((function_key, index): NewFunction[] => {
    if (keys.indexOf(function_key) !== index) return []
    const problem = rendered.problems.find(({ field }) => field.startsWith(`spec.functions[${index}].`))
    const found = rendered.functions.find(({ functionKey }) => functionKey === function_key)
    if (problem !== undefined || found === undefined) {
      const message = problem ? `${problem.field}: ${problem.message}` : 'it could not be rendered'
      return [{ function_key, template: template.id, ready: false, reason: 'ApplyInvalid', message }]
    }
    const parts = healthOfFunction(health, found)
    const cause = functionTrouble(seen, found, parts, verdict, crashes)
    const isReady = cause === undefined
    const url = isReady ? (urlOf(parts) ?? found.predictedUrl) : undefined
    return [
      {
        function_key,
        ...(found.service !== undefined && { service: found.service }),
        ...(found.port !== undefined && { port: found.port }),
        predicted_url: found.predictedUrl,
        ...(url !== undefined && { observed_url: url }),
        template: template.id,
        ready: isReady,
        reason: cause?.reason ?? 'Ready',
        message: cause?.message ?? '',
      },
    ]
  })
}

/** What keeps one function from being ready, most telling first. */
function functionTrouble(
  seen: Observed,
  { functionKey, workload }: RenderedFunction,
  parts: readonly ChildHealth[],
  verdict: Verdict,
  crashes: CrashRules,
): Cause | undefined {
  for (const { child } of parts) {
    const failure = applyFailure(seen.done, child)
    if (failure) return { reason: classify(failure).reason, message: failureText(refText(child), failure) }
  }
  const pods = podsOf(
    seen.pods,
    workload === undefined ? { component: 'odgm' } : { component: 'function', functionKey },
  )
  const crash = findCrash(pods, crashes)
  if (crash) return { reason: 'CrashLoop', message: crash.text }
  const unready = parts.find(({ ready }) => !ready)
  if (unready === undefined) return undefined
  if (unready.isMissing) return { reason: 'ChildMissing', message: unready.message }
  if (unready.trouble !== undefined) return { reason: unready.reason, message: unready.trouble }
  return verdict.reason === 'Timeout'
    ? { reason: unready.reason, message: detailOf(unready) }
    : { reason: 'NotReady', message: `waiting for ${refText(unready.child)}` }
}

/** Where Knative says that it is reached; others are reached where they were predicted to be. */
const urlOf = (parts: readonly ChildHealth[]): string | undefined => {
  const service = parts.find(({ live }) => live?.kind === 'KnativeService')?.live
  return (service?.object as KnativeService | undefined)?.status?.url
}

/** Only about runtimes that ask for it. */
export function telemetryOf({ runtime }: Observed, { render }: RuntimesSettings): NewCondition[] {
  if (runtime.spec.telemetry?.enabled !== true) return []
  const isTold = render.otlpEndpoint !== undefined
  return [
    {
      type: 'TelemetryConfigured',
      status: isTold ? 'True' : 'False',
      reason: isTold ? 'Configured' : 'NoEndpoint',
      message: isTold ? 'workloads are told where to send it' : 'no endpoint is configured, so workloads send nothing',
      observedGeneration: runtime.metadata.generation ?? 0,
    },
  ]
}
