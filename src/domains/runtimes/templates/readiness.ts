import { conditionOf, isObserved, rolloutOf } from '../../../kube/index.ts'
import type { Readiness, ReadinessRule } from './template.ts'

const notYet = (reason: string, message: string): Readiness => ({ ready: false, reason, message })

/** All wanted replicas are of the newest template and available, and no older ones are left. */
export const deploymentReady: ReadinessRule = ({ name, object }) => {
  if (!isObserved(object)) {
    return notYet('NotObserved', `Deployment ${name} was changed and its controller has not observed it yet`)
  }
  const { wanted, updated, available, old, refused } = rolloutOf(object)
  const why = refused === undefined ? '' : `: ${refused}`
  if (updated < wanted) return notYet('RollingOut', `${updated} of ${wanted} replicas updated${why}`)
  if (old > 0) {
    return notYet('RollingOut', `${old} old replicas still there, ${available} of ${wanted} available${why}`)
  }
  if (available < wanted) return notYet('ReplicasUnavailable', `${available} of ${wanted} replicas available${why}`)
  return { ready: true, reason: 'ReplicasAvailable', message: `${available} of ${wanted} replicas available` }
}

/** The `Ready` condition of Knative for the newest generation. */
export const knativeReady: ReadinessRule = ({ name, object }) => {
  if (!isObserved(object)) {
    return notYet('NotObserved', `Knative service ${name} was changed and Knative has not observed it yet`)
  }
  const ready = conditionOf(object, 'Ready')
  if (ready?.status === 'True') {
    return { ready: true, reason: 'KnativeReady', message: `Knative service ${name} is ready` }
  }
  const said = ready?.message ?? `Knative service ${name} does not report yet whether it is ready`
  return notYet(ready?.reason ?? 'KnativeNotReady', said)
}
