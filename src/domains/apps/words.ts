import type { Failure } from '../../kernel/index.ts'
import type { Decision } from './decide.ts'
import type { ReconcileJob } from './types.ts'

/*
 * What happened to a deployment, as a sentence each. Written as failures are: lower case and without a stop.
 */

type Detail = Readonly<Record<string, unknown>>

const THINGS: Readonly<Record<string, string>> = { domainname: 'the domain', user_values: 'the settings' }

/** A deed of a person, whose name stands beside it. */
export function auditText(action: string, detail: Detail = {}): string {
  switch (action) {
    case 'created':
      return `it was ordered${chartIn(detail)}`
    case 'changed':
      return changedText(detail)
    case 'deleted':
      return 'its deletion was asked for'
    case 'enqueued':
      return detail['reason'] === 'retry' ? 'another try was asked for' : 'a look at it was asked for'
    case 'suspended':
      return 'it was suspended'
    case 'resumed':
      return 'it was resumed'
    case 'requeued':
      return 'another try was asked for'
    case 'failed':
      return `it was given up by hand: ${textOf(detail['error'])}`
    default:
      return `it was ${action}`
  }
}

function changedText(detail: Detail): string {
  const { rolledBackTo: to } = detail
  return to === undefined ? changeText(detail) : `it went back to generation ${textOf(to)}: ${changeText(detail)}`
}

function changeText(detail: Detail): string {
  const changed = textOf(detail['changed']).split(', ')
  const things = changed.flatMap((name) => THINGS[name] ?? [])
  const move = changed.includes('template') ? [`it was moved to another template${chartIn(detail)}`] : []
  const change =
    things.length === 0 ? [] : [`${things.join(' and ')} ${things.length === 1 ? verbOf(things) : 'were'} changed`]
  return [...move, ...change].join(', and ') || 'it was changed'
}

const verbOf = ([thing]: readonly string[]): string => (thing?.endsWith('s') ? 'were' : 'was')

const chartIn = ({ chartVersion }: Detail): string =>
  chartVersion === undefined ? '' : `, with version ${textOf(chartVersion)} of the chart`

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''))

/** What the worker decided to do next. */
export function decisionText({ step, status }: Decision): string {
  switch (step.do) {
    case 'ensureNamespace':
      return 'its namespace is being made'
    case 'unlockRelease':
      return `revision ${step.revision} was left unfinished by a worker that died, and is unlocked`
    case 'install':
      return 'it is being installed'
    case 'upgrade':
      return 'the change is being applied'
    case 'rollBack':
      return `the change failed, and it goes back to revision ${step.revision}`
    case 'repairObjects':
      return `objects that were changed or deleted by hand are being restored: ${step.objects.join(', ')}`
    case 'uninstall':
      return step.hooks ? 'it is being uninstalled' : 'it is being uninstalled without its hooks, which have failed'
    case 'deleteNamespace':
      return 'its namespace is being deleted'
    case 'waitFor':
      return `it waits: ${step.failure === undefined ? step.because : failureText(step.failure)}`
    case 'nothing':
      return status === 'deleted' ? 'nothing of it is left' : 'everything is as it should be'
    case 'refuse':
      return `it cannot go on: ${failureText(step.failure)}`
    default:
      return step satisfies never
  }
}

const BECAUSE: Readonly<Record<ReconcileJob['reason'], string>> = {
  create: 'because it was ordered',
  update: 'because it was changed',
  delete: 'because it is to be deleted',
  drift: 'to check for drift',
  retry: 'to try again',
}

/** How the work on it stands. */
export function jobText({
  status,
  reason,
  attempt,
  lastError,
}: Pick<ReconcileJob, 'status' | 'reason' | 'attempt' | 'lastError'>): string {
  const tries = attempt === 0 ? '' : `, after ${attempt} failed ${attempt === 1 ? 'try' : 'tries'}`
  const last = lastError === null ? '' : `: ${failureText(lastError)}`
  switch (status) {
    case 'queued':
      return `it waits for a worker ${BECAUSE[reason]}${tries}${last}`
    case 'running':
      return `a worker is at it ${BECAUSE[reason]}${tries}`
    case 'done':
      return `a worker has finished with it${tries}`
    case 'failed':
      return `it was given up${tries}${last}`
    default:
      return status satisfies never
  }
}

const failureText = ({ code, message }: Failure): string => `${message} (${code})`
