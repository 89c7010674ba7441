import type { Deployment } from '../../../kube/index.ts'
import type { KnativeService } from '../foreign.ts'
import { functionLabel } from '../names.ts'
import { COMPONENT_LABEL, FUNCTION_LABEL, type ObservedChild, type ObservedPod } from '../types.ts'
import type { Readiness, ReadinessRule } from './template.ts'

const notYet = (reason: string, message: string): Readiness => ({ ready: false, reason, message })

/** Every wanted replica is of the newest template and available: what an old pod still serves does not count. */
export const deploymentReady: ReadinessRule = (child, pods) => {
  const { metadata, spec, status = {} } = child.object as Deployment
  const { replicas: wanted = 1 } = spec
  const { replicas = 0, updatedReplicas: updated = 0, availableReplicas: available = 0 } = status
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    return notYet('NotObserved', `Deployment ${child.name} was changed and its controller has not seen it yet`)
  }
  const why = cause(child, pods, status)
  if (updated < wanted) return notYet('RollingOut', `${updated} of ${wanted} replicas updated${why}`)
  if (replicas > updated) {
    return notYet(
      'RollingOut',
      `${replicas - updated} old replicas still there, ${available} of ${wanted} available${why}`,
    )
  }
  if (available < wanted) return notYet('ReplicasUnavailable', `${available} of ${wanted} replicas available${why}`)
  return { ready: true, reason: 'ReplicasAvailable', message: `${available} of ${wanted} replicas available` }
}

/** Ready in Knative's own words, said about the newest generation. */
export const knativeReady: ReadinessRule = (child, pods) => {
  const { metadata, status = {} } = child.object as KnativeService
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    return notYet('NotObserved', `Knative service ${child.name} was changed and Knative has not seen it yet`)
  }
  const ready = status.conditions?.find(({ type }) => type === 'Ready')
  if (ready?.status === 'True') {
    return { ready: true, reason: 'KnativeReady', message: `Knative service ${child.name} is ready` }
  }
  const said = ready?.message ?? `Knative service ${child.name} does not say yet whether it is ready`
  return notYet(ready?.reason ?? 'KnativeNotReady', `${said}${podTrouble(child, pods)}`)
}

/** What holds it up, if that is known: refused pods first, since those are never seen. */
function cause(child: ObservedChild, pods: readonly ObservedPod[], status: NonNullable<Deployment['status']>): string {
  const refused = status.conditions?.find(({ type, status: now }) => type === 'ReplicaFailure' && now === 'True')
  return refused?.message === undefined ? podTrouble(child, pods) : `: ${refused.message}`
}

function podTrouble(child: ObservedChild, pods: readonly ObservedPod[]): string {
  for (const pod of pods.filter((one) => !one.deleting && isOf(one, child))) {
    if (pod.unschedulable !== undefined) return `: pod ${pod.name} cannot be scheduled: ${pod.unschedulable}`
    const stuck = pod.containers.find(({ waiting }) => waiting !== undefined && !STARTING.has(waiting))
    if (stuck !== undefined) {
      const said = stuck.message === undefined ? '' : `: ${stuck.message}`
      return `: container ${stuck.name} of pod ${pod.name} waits: ${stuck.waiting}${said}`
    }
  }
  return ''
}

const STARTING: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing'])

function isOf(pod: ObservedPod, { object }: ObservedChild): boolean {
  const { labels = {} } = object.metadata
  const label = pod.functionKey === undefined ? undefined : functionLabel(pod.functionKey)
  return labels[COMPONENT_LABEL] === pod.component && labels[FUNCTION_LABEL] === label
}
