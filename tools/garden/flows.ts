import type { OperationType } from './shoot-status.ts'

/** A task of gardenlet's flow under way, and how far the flow is with it. */
export interface Task {
  readonly progress: number
  readonly description: string
}

const evenly = (descriptions: readonly string[]): readonly Task[] =>
  descriptions.map((description, index) => ({
    progress: Math.round((100 * (index + 1)) / (descriptions.length + 1)),
    description,
  }))

/** With this task of a flow the API server of a Shoot can be reached. */
export const ADDRESSES = 'Ensuring advertised addresses for the Shoot'

/** A few of the tasks that the flows of gardenlet name, in their order. */
const RECONCILE = evenly([
  'Deploying Shoot namespace in Seed',
  'Deploying external domain DNS record',
  'Waiting until shoot infrastructure has been reconciled',
  'Waiting until main and event etcd report readiness',
  'Deploying Kubernetes API server',
  ADDRESSES,
  'Deploying Kubernetes controller manager',
  'Waiting until shoot worker nodes have been reconciled',
  'Waiting until the Kubernetes API server can connect to the Shoot workers',
])

const HIBERNATE = evenly([
  'Deploying Shoot namespace in Seed',
  'Waiting until shoot worker nodes have been reconciled',
  ADDRESSES,
  'Hibernating control plane',
  'Destroying external domain DNS record if hibernated',
])

const DELETE = evenly([
  'Cleaning Kubernetes resources',
  'Waiting until shoot worker nodes have been terminated',
  'Waiting until shoot control plane has been destroyed',
  'Waiting until shoot infrastructure has been deleted',
  'Destroying main and events etcd',
  'Waiting until shoot namespace in Seed has been deleted',
])

export const flowOf = (type: OperationType, isHibernated: boolean): readonly Task[] =>
  type === 'Delete' ? DELETE : isHibernated ? HIBERNATE : RECONCILE
