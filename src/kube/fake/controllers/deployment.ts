import { Deployment, type DeploymentStatus } from '../../types/apps-v1.ts'
import type { Access } from './access.ts'

export interface DeploymentOptions {
  /** Deployments whose status stays as it is. @default none */
  readonly ignores?: (deployment: Deployment) => boolean
}

/** One turn of the Deployment controller: every replica that is wanted is available. It creates no ReplicaSets or pods. */
export function runDeployments(access: Access, { ignores = () => false }: DeploymentOptions = {}): void {
  for (const deployment of access.list(Deployment)) {
    if (ignores(deployment)) continue
    const status = nextStatus(deployment, access.timestamp)
    if (status !== undefined) access.setStatus(Deployment, deployment, status)
  }
}

/** The status that a finished rollout has, or `undefined` if the Deployment has it already. */
export function nextStatus({ metadata, spec, status }: Deployment, now: string): DeploymentStatus | undefined {
  const replicas = spec?.replicas ?? 1
  if (status?.observedGeneration === metadata.generation && (status?.availableReplicas ?? 0) === replicas)
    return undefined
  const condition = (type: string, reason: string, message: string) => {
    const before = status?.conditions?.find((one) => one.type === type)
    const since = before?.status === 'True' ? before.lastTransitionTime : now
    return { type, status: 'True', reason, message, lastTransitionTime: since, lastUpdateTime: now } as const
  }
  return {
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    // The server leaves out counts of zero.
    ...(replicas > 0 && {
      replicas,
      updatedReplicas: replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
    }),
    conditions: [
      condition('Available', 'MinimumReplicasAvailable', 'Deployment has minimum availability.'),
      condition('Progressing', 'NewReplicaSetAvailable', `Deployment "${metadata.name}" has successfully progressed.`),
    ] as NonNullable<DeploymentStatus['conditions']>,
  }
}
