import type { ObservedContainer, ObservedPod } from '../types.ts'

export interface Crash {
  readonly pod: ObservedPod
  readonly container: ObservedContainer
  /** Names pod, container, restarts and how it ended. */
  readonly text: string
}

export interface CrashRules {
  /** Whether the runtime is degraded by a crash loop already: then a container has to prove that it recovered. */
  readonly wasCrashing: boolean
  readonly recoveryMs: number
  readonly now: number
}

/**
 * The container that crashes most, if any does.
 *
 * Between two crashes such a container runs for a moment. Once the runtime is degraded by it, that moment counts as crashing
 * too, or the phase would change with every restart.
 */
export function findCrash(pods: readonly ObservedPod[], rules: CrashRules): Crash | undefined {
  const crashes = pods
    .filter(isTelling)
    .flatMap((pod) =>
      pod.containers.filter((container) => isCrashing(container, rules)).map((c) => ({ pod, container: c })),
    )
    .toSorted((a, b) => b.container.restarts - a.container.restarts)
  const worst = crashes[0]
  return worst && { ...worst, text: crashText(worst.pod, worst.container) }
}

/** What is on its way out tells nothing about what is wanted now. */
const isTelling = ({ deleting, isSuperseded }: ObservedPod): boolean => !deleting && isSuperseded !== true

function isCrashing(container: ObservedContainer, { wasCrashing, recoveryMs, now }: CrashRules): boolean {
  const { waiting, restarts, ready, startedAt } = container
  if (waiting === 'CrashLoopBackOff') return true
  if (!wasCrashing || restarts === 0) return false
  return !ready || (startedAt !== undefined && now - startedAt < recoveryMs)
}

function crashText(pod: ObservedPod, { name, restarts, lastExit }: ObservedContainer): string {
  const times = `${restarts} time${restarts === 1 ? '' : 's'}`
  const exit = lastExit && `, last with exit code ${lastExit.exitCode} (${lastExit.reason})`
  const said = lastExit?.message.trim()
  return `container ${name} of pod ${pod.name} crashed and was restarted ${times}${exit ?? ''}${said ? `: ${said}` : ''}`
}

/** Why a pod does not start, short of crashing: in the words of the kubelet or of the scheduler. */
export function startTrouble(
  pods: readonly ObservedPod[],
): { readonly reason: string; readonly text: string } | undefined {
  for (const pod of pods.filter(isTelling)) {
    if (pod.unschedulable !== undefined) {
      return { reason: 'Unschedulable', text: `pod ${pod.name} fits on no node: ${pod.unschedulable}` }
    }
    for (const { name, waiting, message } of pod.containers) {
      if (waiting === undefined || HARMLESS.has(waiting)) continue
      const detail = message === undefined || message === '' ? '' : `: ${message}`
      return { reason: waiting, text: `container ${name} of pod ${pod.name} cannot start (${waiting})${detail}` }
    }
  }
  return undefined
}

const HARMLESS = new Set(['ContainerCreating', 'PodInitializing', 'CrashLoopBackOff'])
