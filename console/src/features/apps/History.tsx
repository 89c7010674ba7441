import { Button, Text } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import { useState } from 'react'
import { Panel } from '../../components/detail/Panel.tsx'
import { Age } from '../../components/feedback/Age.tsx'
import { Loaded } from '../../components/feedback/Loaded.tsx'
import { StatusLabel } from '../../components/feedback/StatusLabel.tsx'
import type { DeploymentView, Page, RevisionView } from '../../lib/api/contract.ts'
import { useResource } from '../../lib/api/queries.ts'
import { api, TOPIC } from './paths.ts'
import { revisionText, spokenRevision } from './revision.ts'
import { RollBack } from './RollBack.tsx'
import classes from './History.module.css'

/** Shown before "Show all". */
const FEW = 5

/** What the app was, and the way back. */
export function History({ deployment }: { readonly deployment: DeploymentView }) {
  const query = useResource<Page<RevisionView>>(TOPIC, `${api.deployment(deployment)}/revisions?limit=200`)
  const [isAll, setAll] = useState(false)
  const [chosen, setChosen] = useState<RevisionView>()
  return (
    <Panel title="History">
      <Loaded query={query}>
        {({ items }) => (
          <>
            <ol className={classes.revisions} aria-label="Changes of this app">
              {items.slice(0, isAll ? undefined : FEW).map((revision) => (
                <Entry
                  key={revision.generation}
                  revision={revision}
                  {...(mayGoBack(deployment, revision) && { onRollBack: () => setChosen(revision) })}
                />
              ))}
            </ol>
            {!isAll && items.length > FEW && (
              <Button variant="subtle" size="compact-sm" onClick={() => setAll(true)}>
                Show all {items.length}
              </Button>
            )}
          </>
        )}
      </Loaded>
      {chosen && <RollBack deployment={deployment} revision={chosen} onClose={() => setChosen(undefined)} />}
    </Panel>
  )
}

const mayGoBack = ({ generation, deleted_at }: DeploymentView, revision: RevisionView): boolean =>
  deleted_at === null && revision.generation !== generation && !revision.template.deleted

interface EntryProps {
  readonly revision: RevisionView
  /** Absent: it is the present one, or cannot be gone back to. */
  readonly onRollBack?: () => void
}

function Entry({ revision, onRollBack }: EntryProps) {
  const { tone, word } = spokenRevision(revision.outcome)
  return (
    <li className={classes.revision}>
      <div className={classes.text}>
        <div className={classes.head}>
          <b>{revision.generation}</b>
          <StatusLabel tone={tone} {...(revision.failure_code !== null && { why: revision.failure_code })}>
            {word}
          </StatusLabel>
          <span className={classes.who}>
            {revision.changed_by}, <Age since={revision.created_at} /> ago
          </span>
        </div>
        <Text size="sm">{revisionText(revision)}</Text>
        <Text size="xs" c="dimmed">
          Chart {revision.template.chart_version}
          {revision.helm_revision !== null && `, revision ${revision.helm_revision} of the release`}
        </Text>
      </div>
      {onRollBack && (
        <Button
          className={classes.action}
          size="compact-sm"
          variant="default"
          leftSection={<IconArrowBackUp size={14} aria-hidden />}
          aria-label={`Roll back to ${revision.generation}`}
          onClick={onRollBack}
        >
          Roll back
        </Button>
      )}
    </li>
  )
}
