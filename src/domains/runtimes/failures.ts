import { defineFailures, knownFailures, type Failure } from '../../kernel/index.ts'

/**
 * Why a runtime is not as wanted. The reason of a condition is the code without `Runtime`: conditions speak of one runtime,
 * codes have the whole program to themselves.
 */
export const raise = defineFailures({
  RuntimeConflict: {
    whoseMove: 'user',
    retryable: true,
    nextStep:
      'Let the named manager give up the named field, or annotate the ClassRuntime with oaas.io/force-apply to take it over.',
  },
  RuntimeApplyInvalid: {
    whoseMove: 'user',
    retryable: true,
    nextStep: 'Correct the field that the message names in the ClassRuntime; it is applied as soon as it changes.',
  },
  RuntimeTemplateUnknown: {
    whoseMove: 'user',
    retryable: true,
    nextStep: 'Set selected_template to one of the named templates, or leave it out and let one be chosen.',
  },
  RuntimeCrashLoop: {
    whoseMove: 'user',
    retryable: true,
    nextStep: 'Read the log of the named container and correct the image or its configuration.',
  },
  RuntimeTimeout: {
    whoseMove: 'user',
    retryable: true,
    nextStep: 'Look at what the message names: its image, its resources, its probes. It recovers by itself once ready.',
  },
  RuntimeChildMissing: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'See what keeps the named object from being created: a quota, a permission, a finalizer on the old one.',
  },
  RuntimeRunNeverEnded: {
    whoseMove: 'operator',
    retryable: false,
    nextStep:
      'Find out why the controllers crashed or hung during this reconcile: read their last log lines and the exit code (137: out of memory). Then change the ClassRuntime, or restart the controllers.',
  },
  RuntimeTargetLocked: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'Nothing: it is applied when the named holder is done.',
  },
  RuntimeEnforceFailed: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'It is retried with growing pauses. If it stays, read the message, or set enforcement.mode to observe.',
  },
  RuntimeEnforceConflict: {
    whoseMove: 'user',
    retryable: true,
    nextStep:
      'Decide who scales it: let the named manager give up the named field, or take the dimension out of enforcement.',
  },
  RuntimeEnforceInvalid: {
    whoseMove: 'user',
    retryable: true,
    nextStep: 'Correct the limits that refuse the value (quota, LimitRange, max_scale), or take the dimension out.',
  },
  RuntimeEnforceFallbackFailed: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'Neither an autoscaler nor the workload took the value. It is retried; read the message for the cause.',
  },
})

const PREFIX = 'Runtime'

/** The failure behind the reason of a condition; nothing for a reason that is no failure, like `Progressing`. */
export function failureFor(reason: string, message: string): Failure | undefined {
  const code = `${PREFIX}${reason}`
  const kind = code in raise ? knownFailures().find(([known]) => known === code)?.[1] : undefined
  return kind === undefined ? undefined : { code, message, ...kind }
}

/** `RuntimeConflict` → `Conflict`. Codes of others stay as they are. */
export const reasonOf = (code: string): string => (code in raise ? code.slice(PREFIX.length) : code)
