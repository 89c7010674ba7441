import { deploymentTemplate } from './deployments.ts'
import { needsWarmReplicas } from './traits.ts'

/** For production: replicas as in the spec, an autoscaler between min and max scale, rolling updates without downtime. */
export const k8sDeployment = deploymentTemplate(
  { revisionHistoryLimit: 5, rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
  {
    id: 'k8s_deployment',
    aliases: ['deployment', 'k8s'],
    score: (traits) => (needsWarmReplicas(traits.spec) ? 300 : 100),
  },
)
