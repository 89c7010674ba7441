import { deploymentTemplate } from './deployments.ts'
import { needsWarmReplicas } from './traits.ts'

/** For production on any cluster: replicas as the spec says, an autoscaler where there is room, updates without a gap. */
export const k8sDeployment = deploymentTemplate(
  { revisionHistoryLimit: 5, rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
  {
    id: 'k8s_deployment',
    aliases: ['deployment', 'k8s'],
    score: (traits) => (needsWarmReplicas(traits.spec) ? 300 : 100),
  },
)
