import type { CoreV1 } from '../../../kube/index.ts'
import { deploymentTemplate } from './deployments.ts'

const AWAY_SECONDS = 3600

/** A node behind a bad line comes back; what runs on it goes on meanwhile and need not be started elsewhere. */
const awhile = (key: string): CoreV1.Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: AWAY_SECONDS,
})

/** For small machines behind bad lines: an update needs no room for a second pod, and an absent node is waited for. */
export const edge = deploymentTemplate(
  {
    revisionHistoryLimit: 2,
    rollingUpdate: { maxSurge: 0, maxUnavailable: 1 },
    pullPolicy: 'IfNotPresent',
    tolerations: [awhile('node.kubernetes.io/not-ready'), awhile('node.kubernetes.io/unreachable')],
  },
  { id: 'edge', aliases: [], score: ({ profile }) => (profile === 'edge' ? 1_000_000 : 0) },
)
