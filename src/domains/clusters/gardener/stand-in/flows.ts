/** A few of the tasks that the flows of gardenlet name, in their order. */
const RECONCILE = [
  'Deploying Shoot namespace in Seed',
  'Deploying internal domain DNS record',
  'Deploying Shoot infrastructure',
  'Waiting until shoot infrastructure has been reconciled',
  'Deploying main and events etcd',
  'Deploying Kubernetes API server',
  'Waiting until Kubernetes API server rolled out',
  'Deploying Kubernetes controller manager',
  'Configuring shoot worker pools',
  'Waiting until shoot worker nodes have been reconciled',
  'Waiting until the Kubernetes API server can connect to the Shoot workers',
]
const HIBERNATE = [
  'Deploying Shoot namespace in Seed',
  'Waiting until shoot worker nodes have been reconciled',
  'Hibernating control plane',
  'Destroying external domain DNS record if hibernated',
]
const DELETE = [
  'Deploying Kubernetes API server',
  'Cleaning up webhooks',
  'Cleaning Kubernetes resources',
  'Waiting until shoot worker nodes have been terminated',
  'Waiting until shoot control plane has been destroyed',
  'Waiting until shoot infrastructure has been deleted',
  'Waiting until shoot namespace in Seed has been deleted',
]

export type Flow = 'reconcile' | 'hibernate' | 'delete'

const FLOWS: Readonly<Record<Flow, readonly string[]>> = { reconcile: RECONCILE, hibernate: HIBERNATE, delete: DELETE }

/** The task under way when so many percent of a flow are done. */
export function taskAt(flow: Flow, progress: number): string {
  const tasks = FLOWS[flow]
  return tasks[Math.floor((progress * tasks.length) / 100)] ?? ''
}
