import { Pod, type ContainerStatus, type PodStatus } from '../../types/core-v1.ts'
import type { Access } from './access.ts'

/** How the containers of a pod end. */
export type PodOutcome =
  /** The pod is never bound to a node. */
  | 'waits'
  /** The pod is bound to a node and stays Pending. */
  | { readonly waitingReason: 'ErrImagePull' | 'ImagePullBackOff' | 'CreateContainerConfigError' }
  /** They run until the pod is deleted. */
  | 'runs'
  | 'succeeds'
  | { readonly exitCode: number; readonly message?: string }
  /** The node is drained: the pod has the condition DisruptionTarget and fails. */
  | 'evicted'

export interface PodOptions {
  /** Asked in every turn until the pod has ended. @default runs */
  readonly outcome?: (pod: Pod) => PodOutcome
  readonly nodeName?: string
}

/** One turn of scheduler and kubelet. A pod takes one turn for each step: bound, Running, ended. */
export function runPods(access: Access, { outcome = () => 'runs', nodeName = 'node-1' }: PodOptions = {}): void {
  for (const pod of access.list(Pod)) {
    const step = nextStep(pod, outcome(pod), access.timestamp)
    if (step === 'bind') access.patch(Pod, pod, (present) => ({ ...present, spec: { ...present.spec, nodeName } }))
    else if (step === 'remove') access.delete(Pod, pod, { graceSeconds: 0 })
    else if (step !== undefined) access.setStatus(Pod, pod, { ...pod.status, ...step })
  }
}

const KILLED = { exitCode: 137, message: 'the pod was deleted' } as const

/** What happens next to a pod: it is bound, removed, or gets this status. */
export function nextStep(pod: Pod, outcome: PodOutcome, now: string): 'bind' | 'remove' | PodStatus | undefined {
  const { metadata, spec, status } = pod
  const hasEnded = status?.phase === 'Succeeded' || status?.phase === 'Failed'
  if (metadata.deletionTimestamp !== undefined) {
    if (!hasEnded) return endedStatus(pod, KILLED, now)
    return metadata.deletionGracePeriodSeconds === 0 ? undefined : 'remove'
  }
  if (hasEnded || outcome === 'waits') return undefined
  if (!spec?.nodeName) return 'bind'
  if (typeof outcome === 'object' && 'waitingReason' in outcome) return waitingStatus(pod, outcome.waitingReason)
  if (status?.phase !== 'Running') return runningStatus(pod, now)
  return outcome === 'runs' ? undefined : endedStatus(pod, outcome, now)
}

type Containers = ReadonlyArray<ContainerStatus>

const containersOf = ({ spec }: Pod, state: NonNullable<ContainerStatus['state']>, isReady: boolean): Containers =>
  (spec?.containers ?? []).map(({ name, image = '' }) => ({
    name,
    image,
    imageID: '',
    ready: isReady,
    restartCount: 0,
    state,
  }))

const ready = (is: boolean, reason?: string) => ({
  type: 'Ready',
  status: is ? 'True' : 'False',
  ...(reason !== undefined && { reason }),
})

function waitingStatus(pod: Pod, reason: string): PodStatus | undefined {
  if (pod.status?.containerStatuses?.[0]?.state?.waiting?.reason === reason) return undefined
  return { phase: 'Pending', containerStatuses: containersOf(pod, { waiting: { reason } }, false) }
}

const runningStatus = (pod: Pod, now: string): PodStatus => ({
  phase: 'Running',
  startTime: now,
  conditions: [ready(true)],
  containerStatuses: containersOf(pod, { running: { startedAt: now } }, true),
})

function endedStatus(pod: Pod, how: Exclude<PodOutcome, 'waits' | 'runs'>, now: string): PodStatus {
  const isEvicted = how === 'evicted'
  const exitCode = how === 'succeeds' ? 0 : typeof how === 'object' && 'exitCode' in how ? how.exitCode : 137
  const message = typeof how === 'object' && 'message' in how ? how.message : undefined
  const reason = exitCode === 0 ? 'Completed' : 'Error'
  const terminated = { exitCode, reason, finishedAt: now, ...(message !== undefined && { message }) }
  const disruption = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }
  return {
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    conditions: [ready(false, exitCode === 0 ? 'PodCompleted' : 'PodFailed'), ...(isEvicted ? [disruption] : [])],
    containerStatuses: containersOf(pod, { terminated }, false),
  }
}
