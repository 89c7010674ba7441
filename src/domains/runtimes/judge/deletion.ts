import { conditionsOf, type Verdict } from './phase.ts'
import { refText } from './child-health.ts'
import { failureText, wasTried } from './outcomes.ts'
import { reduce } from '../status.ts'
import { FINALIZER, type Action, type Decision, type Observed } from '../types.ts'

const RETRY_MS = 5_000
const SLOW_MS = 30_000

/**
 * Everything that bears our label goes, of whatever kind some template may once have made; the finalizer goes when none is left.
 */
export function decideDeletion(seen: Observed, now: number): Decision {
  const { runtime, children, done } = seen
  const { finalizers = [], generation = 0 } = runtime.metadata
  const status = runtime.status ?? {}
  if (!finalizers.includes(FINALIZER)) return { phase: 'deleting', actions: [], status, notices: [] }
  const wanted: Action[] =
    children.length === 0
      ? [{ do: 'removeFinalizer' }]
      : children.filter(({ deleting }) => !deleting).map((child) => ({ do: 'delete', child, because: 'deletion' }))
  const actions = wanted.filter((action) => !wasTried(done, action))
  const hasFailed = done.some(({ failure }) => failure !== undefined)
  const verdict: Verdict = { phase: 'deleting', reason: 'Deleting', message: messageOf(seen, now) }
  return {
    phase: 'deleting',
    actions,
    status: reduce(
      status,
      'controller',
      { phase: verdict.phase, message: verdict.message, conditions: conditionsOf(verdict, generation) },
      now,
    ),
    notices: [],
    ...(hasFailed && { checkAgain: { afterMs: RETRY_MS, because: verdict.message } }),
  }
}

/** Names what is left only when it takes long: otherwise every child that goes would be a write. */
function messageOf({ runtime, children, done }: Observed, now: number): string {
  for (const { action, failure } of done) {
    if (failure) return failureText(action.do === 'delete' ? refText(action.child) : 'the finalizer', failure)
  }
  const since = Date.parse(runtime.metadata.deletionTimestamp ?? '')
  return children.length > 0 && now - since > SLOW_MS
    ? `waiting for ${children.map(refText).join(', ')} to go`
    : 'its children are being deleted'
}
