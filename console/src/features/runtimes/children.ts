import type {
  RuntimeChildView,
  RuntimeContainerView,
  RuntimeFunctionView,
  RuntimePodView,
} from '../../lib/api/contract.ts'
import type { Spoken } from '../../lib/tone.ts'

const ORDER: readonly RuntimeChildView['health'][] = ['failing', 'missing', 'progressing', 'deleting', 'ready']

/** Worst first, so that trouble is seen without scrolling. */
export const worstFirst = (children: readonly RuntimeChildView[]): readonly RuntimeChildView[] =>
  children.toSorted((a, b) => ORDER.indexOf(a.health) - ORDER.indexOf(b.health) || a.id.localeCompare(b.id))

export function replicasText({ replicas, message }: Pick<RuntimeChildView, 'replicas' | 'message'>): string {
  if (replicas === null) return message
  const { desired, ready, updated } = replicas
  const count = `${ready} of ${desired} ready${updated < desired ? `, ${updated} up to date` : ''}`
  return message === '' ? count : `${count}; ${message}`
}

/** Whether this reason does not go away by waiting. */
const isStuck = (reason: string): boolean => /BackOff|CrashLoop|Err|Invalid|Conflict|Timeout|Exceeded/.test(reason)

export function spokenPod(pod: Pick<RuntimePodView, 'ready' | 'phase' | 'reason' | 'deleting_since'>): Spoken {
  if (pod.deleting_since !== null) return { tone: 'wait', word: 'Being deleted' }
  if (pod.ready) return { tone: 'good', word: 'Ready' }
  const isBad = pod.phase === 'Failed' || (pod.reason !== null && isStuck(pod.reason))
  return { tone: isBad ? 'bad' : 'wait', word: pod.reason ?? pod.phase }
}

export function spokenFunction({ ready, reason }: Pick<RuntimeFunctionView, 'ready' | 'reason'>): Spoken {
  if (ready) return { tone: 'good', word: 'Ready' }
  return { tone: reason !== null && isStuck(reason) ? 'bad' : 'wait', word: reason ?? 'Not ready' }
}

export const restartsText = (restarts: number): string => {
  if (restarts === 0) return 'no restarts'
  return restarts === 1 ? '1 restart' : `${restarts} restarts`
}

export function exitText(exit: NonNullable<RuntimeContainerView['last_exit']>): string {
  const { reason, exit_code: code, message } = exit
  return `last exit: ${[reason, `code ${code}`].filter(Boolean).join(', ')}${message === '' ? '' : `: ${message}`}`
}
