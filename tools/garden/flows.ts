import type { OperationType } from './shoot-status.ts'

/** A task of gardenlet's flow under way, and how far the flow is with it. */
interface Task {
  readonly progress: number
  readonly description: string
}

const evenly = (descriptions: readonly string[]): readonly Task[] =>
  descriptions.map((description, index) => ({
    progress: Math.round((100 * (index + 1)) / (descriptions.length + 1)),
    description,
  }))

/** With this task of a flow the API server of a Shoot can be reached. */
const ADDRESSES = 'Ensuring advertised addresses for the Shoot'

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

const flowOf = (type: OperationType, isHibernated: boolean): readonly Task[] =>
  type === 'Delete' ? DELETE : isHibernated ? HIBERNATE : RECONCILE

export interface Progress {
  /** The task that is reported next. Absent: the flow is done. */
  readonly task?: Task
  /** Whether the API server of the Shoot can be reached with it, and could not before. */
  readonly isReachable: boolean
}

/** What follows in a flow that has come to `progress`, if at most so many of its tasks are reported. */
export function progressFrom(
  progress: number,
  type: OperationType,
  { isHibernated, reported = Infinity }: { readonly isHibernated: boolean; readonly reported?: number },
): Progress {
  const flow = flowOf(type, isHibernated)
  const every = Math.ceil(flow.length / Math.min(reported, flow.length))
  const task = flow.find((one, index) => one.progress > progress && (index + 1) % every === 0)
  const addresses = flow.find(({ description }) => description === ADDRESSES)?.progress ?? Infinity
  const isReachable = addresses > progress && addresses <= (task?.progress ?? 100)
  return { isReachable, ...(task && { task }) }
}
