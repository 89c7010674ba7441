import type { ClusterView, StepView } from '../../../lib/api/contract.ts'

export type RotationStage = 'none' | 'preparing' | 'prepared' | 'completing' | 'completed'

type Rotated = Pick<ClusterView, 'shoot' | 'operation'>

/** How far a rotation is: where its slowest part is, or where a request that Gardener is yet to receive leads. */
export function rotationStage({ shoot, operation }: Rotated): RotationStage {
  if (operation?.pending === true) {
    if (operation.kind === 'rotate-credentials-start') return 'preparing'
    if (operation.kind === 'rotate-credentials-complete') return 'completing'
  }
  const phases = Object.values(shoot?.rotation ?? {})
  if (phases.some((phase) => /^(Preparing|WaitingForWorkersRollout)/.test(phase))) return 'preparing'
  if (phases.includes('Prepared')) return 'prepared'
  if (phases.includes('Completing')) return 'completing'
  return phases.length === 0 ? 'none' : 'completed'
}

const ORDER: readonly RotationStage[] = ['none', 'preparing', 'prepared', 'completing', 'completed']

/** What is done in order: Gardener prepares, people renew, Gardener removes the old. */
export function rotationSteps(stage: RotationStage): readonly StepView[] {
  const step = (name: RotationStage, title: string, message: string): StepView => {
    const difference = ORDER.indexOf(stage) - ORDER.indexOf(name)
    const state = difference === 0 ? 'running' : difference > 0 ? 'done' : 'waiting'
    return { name, title, state, message: state === 'done' ? null : message, started_at: null, ended_at: null }
  }
  return [
    step('preparing', 'Create new credentials', 'Gardener creates them beside the old ones, and replaces all nodes.'),
    step(
      'prepared',
      'Renew what uses the old ones',
      'Download new kubeconfigs, hand them out, and renew tokens of service accounts.',
    ),
    step('completing', 'Remove the old credentials', 'Kubeconfigs and tokens from before the rotation stop working.'),
  ]
}

/** `certificateAuthorities` → `certificate authorities` */
export const partText = (part: string): string => part.replaceAll(/([A-Z])/g, ' $1').toLowerCase()
