import { deploymentTemplate } from './deployments.ts'

/** For trying things out: one replica of everything, images as they were loaded, no autoscaler. */
export const dev = deploymentTemplate(
  {
    isSingle: true,
    revisionHistoryLimit: 1,
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
    pullPolicy: 'IfNotPresent',
  },
  { id: 'dev', aliases: [], score: ({ profile }) => (profile === 'dev' ? 1_000_000 : 0) },
)
