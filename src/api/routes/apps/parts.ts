import type { Apps, PreviewInputs } from '../../../domains/apps/usecases/index.ts'
import type { PreviewDiff } from '../../../kube/index.ts'
import type { Explanation } from '../../../kernel/index.ts'
import type { ResourceView } from '../../contract/index.ts'

/** What only the control plane can answer. Throws `ControlPlaneUnreachable` without one. */
export interface AppsInsight {
  preview(inputs: PreviewInputs, signal: AbortSignal): Promise<PreviewDiff>
  explain(deploymentId: string, signal: AbortSignal): Promise<Explanation>
  resources(deploymentId: string, signal: AbortSignal): Promise<readonly ResourceView[]>
}

export interface AppsParts {
  readonly apps: Apps
  readonly insight: AppsInsight
}
