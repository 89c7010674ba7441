import { finalizerStep } from '../../kernel/index.ts'
import type { ClassRuntimeStatus } from './class-runtime.ts'
import { findCrash, type CrashRules } from './judge/crash-loop.ts'
import { decideDeletion } from './judge/deletion.ts'
import { describe, telemetryOf } from './judge/status-update.ts'
import { enforce } from './nfr/enforcement.ts'
import { conditionsOf, degradedBy, judge, type Cause, type Facts, type Verdict } from './judge/phase.ts'
import { noticesOf } from './judge/notices.ts'
import { requeueOf, sooner } from './judge/requeue.ts'
import { plan, type Plan } from './plan.ts'
import { healthOf, isSameRef } from './judge/child-health.ts'
import { failedApply, failureText, refusedApply, wasTried } from './judge/outcomes.ts'
import type { RuntimesSettings } from './settings.ts'
import { reduce } from './status.ts'
import { FINALIZER, type Action, type Decision, type Observed } from './types.ts'

/**
 * The whole of what the controller knows. Total and pure: the same look at the same time gives the same answer.
 *
 * A run asks twice. First with nothing done: the answer is what to do. Then with how that went: the answer is the status. What
 * was tried in this run is not asked for again; what the second answer asks for besides is for a look at once.
 */
export function decide(seen: Observed, settings: RuntimesSettings, now: number): Decision {
  const step = finalizerStep(seen.runtime.metadata, FINALIZER)
  if (step === 'cleanUp' || step === 'leave') return decideDeletion(seen, now)
  if (step === 'work') return converge(seen, settings, now, [])
  const failure = seen.done.find(({ action }) => action.do === 'addFinalizer')?.failure
  if (failure === undefined) return converge(seen, settings, now, [{ do: 'addFinalizer' }])
  const message = failureText('the finalizer', failure)
  return withoutPlan(seen, { phase: 'pending', reason: 'Pending', message }, settings, now)
}

function converge(seen: Observed, settings: RuntimesSettings, now: number, first: readonly Action[]): Decision {
  const planned = plan(seen, settings)
  if ('cause' in planned) {
    const decision = withoutPlan(seen, { phase: 'degraded', ...planned.cause }, settings, now)
    return { ...decision, actions: untried(seen, first) }
  }
  const { runtime, done } = seen
  const { generation = 0 } = runtime.metadata
  const before = runtime.status ?? {}
  const times = { generation, progressTimeoutMs: settings.progressTimeoutMs, now }
  const crashes = crashRules(before, settings, now)
  const health = healthOf(planned.template, planned.rendered, seen)
  const facts: Facts = {
    refused: problemOf(planned) ?? refusedApply(done),
    crash: findCrash(seen.pods, crashes)?.text,
    failed: failedApply(done),
    isApplying: planned.actions.some((action) => isOpen(action, seen)),
    health,
  }
  const enforcement = enforce(seen, settings, judge(before, facts, times).phase === 'available', now)
  const verdict = judge(before, { ...facts, enforcement: enforcement.cause }, times)
  const described = describe(seen, planned, health, verdict, settings, crashes)
  const status = reduce(reduce(before, 'controller', described, now), 'enforcer', enforcement.update, now)
  const actions = untried(seen, [...first, ...planned.actions, ...enforcement.actions])
  const orphans = planned.heldOrphans > 0 || hasFailedTidying(seen)
  const checks = [
    requeueOf(verdict, status, times),
    orphans ? { afterMs: ORPHANS_MS, because: 'something that is not wanted any more is still there' } : undefined,
    enforcement.checkAgainMs === undefined
      ? undefined
      : { afterMs: enforcement.checkAgainMs, because: 'a recommendation waits for its time' },
    actions.length > 0 ? { afterMs: 0, because: 'there is more to do' } : undefined,
  ]
  const checkAgain = checks.reduce(sooner, undefined)
  return {
    phase: verdict.phase,
    actions,
    status,
    notices: [...noticesOf(before, verdict, done, planned.heldOrphans), ...enforcement.notices],
    ...(checkAgain && { checkAgain }),
  }
}

const ORPHANS_MS = 30_000

/** About a runtime of which only the trouble is known: what was said of its children stays said. */
function withoutPlan(seen: Observed, verdict: Verdict, settings: RuntimesSettings, now: number): Decision {
  const { metadata, status: before = {} } = seen.runtime
  const { generation = 0 } = metadata
  const { phase, message } = verdict
  const update = {
    phase,
    message,
    ...(phase !== 'pending' && { observed_generation: generation }),
    conditions: [...conditionsOf(verdict, generation), ...telemetryOf(seen, settings)],
  }
  const status = reduce(before, 'controller', update, now)
  const checkAgain = requeueOf(verdict, status, { generation, progressTimeoutMs: settings.progressTimeoutMs, now })
  return {
    phase,
    actions: [],
    status,
    notices: noticesOf(before, verdict, seen.done, 0),
    ...(checkAgain && { checkAgain }),
  }
}

/** To be applied, or changed by somebody since this run applied it: being ready is then no sign of being as wanted. */
const isOpen = (action: Action, { children, done }: Observed): boolean =>
  action.do === 'apply' && (done.length === 0 || children.some((live) => isSameRef(live, action.child)))

const untried = ({ done }: Observed, actions: readonly Action[]): Action[] =>
  actions.filter((action) => !wasTried(done, action))

const hasFailedTidying = ({ done }: Observed): boolean =>
  done.some(({ action, failure }) => (action.do === 'delete' || action.do === 'handBack') && failure !== undefined)

function problemOf({ rendered: { problems } }: Plan): Cause | undefined {
  const [first, ...others] = problems
  if (first === undefined) return undefined
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  return { reason: 'ApplyInvalid', message: `${first.field}: ${first.message}${more}` }
}

export const crashRules = (
  before: ClassRuntimeStatus,
  { crashRecoveryMs }: RuntimesSettings,
  now: number,
): CrashRules => ({
  wasCrashing: degradedBy(before)?.reason === 'CrashLoop',
  recoveryMs: crashRecoveryMs,
  now,
})
