import type { ReleaseText } from '../../../domains/apps/index.ts'
import type { Apps, PreviewInputs, ReleaseInputs } from '../../../domains/apps/usecases/index.ts'
import type { PreviewDiff } from '../../../kube/index.ts'
import type { Explanation } from '../../../kernel/index.ts'
import type { ResourceView } from '../../contract/index.ts'

/** What only the control plane can answer. Throws `ControlPlaneUnreachable` without one. */
export interface AppsInsight {
  preview(inputs: PreviewInputs, signal: AbortSignal): Promise<PreviewDiff>
  explain(deploymentId: string, signal: AbortSignal): Promise<Explanation>
  resources(deploymentId: string, signal: AbortSignal): Promise<readonly ResourceView[]>
  /** Undefined: there is no release. */
  notes(inputs: ReleaseInputs, signal: AbortSignal): Promise<ReleaseText | undefined>
  manifest(inputs: ReleaseInputs, signal: AbortSignal): Promise<ReleaseText | undefined>
  values(inputs: ReleaseInputs, signal: AbortSignal): Promise<ReleaseText | undefined>
}

export interface AppsParts {
  readonly apps: Apps
  readonly insight: AppsInsight
}
