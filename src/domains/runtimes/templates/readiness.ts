import type { Deployment } from '../../../kube/index.ts'
import type { KnativeService } from '../watch/optional-kinds.ts'
import type { Readiness, ReadinessRule } from './template.ts'

const notYet = (reason: string, message: string): Readiness => ({ ready: false, reason, message })

/** Every wanted replica is of the newest template and available: what an old pod still serves does not count. */
export const deploymentReady: ReadinessRule = (child) => {
  const { metadata, spec, status = {} } = child.object as Deployment
  const { replicas: wanted = 1 } = spec
  const { replicas = 0, updatedReplicas: updated = 0, availableReplicas: available = 0 } = status
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    return notYet('NotObserved', `Deployment ${child.name} was changed and its controller has not seen it yet`)
  }
  const why = refusal(status)
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
export const knativeReady: ReadinessRule = (child) => {
  const { metadata, status = {} } = child.object as KnativeService
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    return notYet('NotObserved', `Knative service ${child.name} was changed and Knative has not seen it yet`)
  }
  const ready = status.conditions?.find(({ type }) => type === 'Ready')
  if (ready?.status === 'True') {
    return { ready: true, reason: 'KnativeReady', message: `Knative service ${child.name} is ready` }
  }
  const said = ready?.message ?? `Knative service ${child.name} does not say yet whether it is ready`
  return notYet(ready?.reason ?? 'KnativeNotReady', said)
}

/** Pods that were refused, by a quota for instance, are never seen: only the Deployment knows of them. */
function refusal({ conditions = [] }: NonNullable<Deployment['status']>): string {
  const refused = conditions.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True')
  return refused?.message === undefined ? '' : `: ${refused.message}`
}
