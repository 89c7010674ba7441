import type { DeploymentView, StepView } from '../../lib/api/contract.ts'

interface Deleting {
  readonly deployment: Pick<DeploymentView, 'status' | 'deleted_at'>
  /** Objects that are still there; undefined while that is not known. */
  readonly left: number | undefined
  readonly blockers: readonly string[]
}

/** How far a deletion is, told from what is left. Undefined: it is not being deleted. */
export function deletionSteps({ deployment, left, blockers }: Deleting): readonly StepView[] | undefined {
  if (deployment.deleted_at === null) return undefined
  const isGone = deployment.status === 'deleted'
  const isEmptied = isGone || left === 0
  const isBlocked = blockers.length > 0 && !isGone
  const step = (name: string, title: string, state: StepView['state'], message: string | null = null): StepView => ({
    name,
    title,
    state,
    message,
    started_at: null,
    ended_at: null,
  })
  return [
    step('uninstall', 'Uninstall the release', isEmptied ? 'done' : 'running', leftText(isEmptied, left)),
    step(
      'namespace',
      'Delete the namespace',
      isBlocked ? 'failed' : isGone ? 'done' : isEmptied ? 'running' : 'waiting',
      isBlocked ? `blocked: ${blockers.join('; ')}` : null,
    ),
    step('gone', 'Everything is gone', isGone ? 'done' : 'waiting'),
  ]
}

const leftText = (isEmptied: boolean, left: number | undefined): string | null => {
  if (isEmptied || left === undefined) return null
  return left === 1 ? '1 object is left' : `${left} objects are left`
}
