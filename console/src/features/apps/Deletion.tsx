import { Panel } from '../../components/detail/Panel.tsx'
import { ProgressSteps } from '../../components/feedback/ProgressSteps.tsx'
import type { DeploymentView } from '../../lib/api/contract.ts'
import { deletionSteps } from './deletion.ts'

interface DeletionProps {
  readonly deployment: DeploymentView
  readonly left: number | undefined
  readonly blockers: readonly string[]
}

/** How far a deletion is, and what blocks it; nothing when it is not being deleted. */
export function Deletion(props: DeletionProps) {
  const steps = deletionSteps(props)
  if (steps === undefined) return null
  return (
    <Panel title="Deletion">
      <ProgressSteps label="Deletion" steps={steps} />
    </Panel>
  )
}
