import { Panel } from '../../components/detail/Panel.tsx'
import type { DeploymentView, NotesView } from '../../lib/api/contract.ts'
import { useResource } from '../../lib/api/queries.ts'
import { api, TOPIC } from './paths.ts'
import classes from './Notes.module.css'

/** The notes of the chart. Nothing if it has none. */
export function Notes({ deployment }: { readonly deployment: DeploymentView }) {
  const { data } = useResource<NotesView>(TOPIC, `${api.deployment(deployment)}/notes`)
  if (data === undefined || data.notes === null) return null
  return (
    <Panel title="Notes of the chart">
      <pre className={classes.notes} tabIndex={0} aria-label="Notes of the chart">
        {data.notes}
      </pre>
    </Panel>
  )
}
