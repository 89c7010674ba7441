import { Anchor, UnstyledButton } from '@mantine/core'
import { IconGitCommit } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Age } from '../../components/feedback/Age.tsx'
import { Empty } from '../../components/feedback/Empty.tsx'
import { OutcomeLabel } from '../../components/insight/DecisionExplained.tsx'
import { ExplainDrawer } from '../../components/insight/ExplainDrawer.tsx'
import { Loaded } from '../../components/feedback/Loaded.tsx'
import { Panel } from '../../components/detail/Panel.tsx'
import type { DecisionView, Page } from '../../lib/api/contract.ts'
import { useResource } from '../../lib/api/queries.ts'
import classes from './LatestDecisions.module.css'

export function LatestDecisions() {
  const query = useResource<Page<DecisionView>>('decisions', '/decisions?limit=8')
  const [open, setOpen] = useState<string>()
  return (
    <Panel
      title="Latest decisions"
      flush
      aside={
        <Anchor component={Link} href="/operations/decisions" size="sm">
          All decisions
        </Anchor>
      }
    >
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={<IconGitCommit size={22} aria-hidden />} title="Nothing was decided yet">
              Decisions appear as soon as a controller looks at its first object.
            </Empty>
          ) : (
            <ul className={classes.list}>
              {items.map((decision) => (
                <li key={decision.id}>
                  <UnstyledButton className={classes.decision} onClick={() => setOpen(decision.id)}>
                    <span className={classes.object}>{`${decision.kind}/${decision.object_id}`}</span>
                    <span className={classes.what}>
                      <b>{decision.decision}</b> {decision.because}
                    </span>
                    <OutcomeLabel outcome={decision.outcome} />
                    <span className={classes.age}>
                      <Age since={decision.at} />
                    </span>
                  </UnstyledButton>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <ExplainDrawer decisionId={open} onClose={() => setOpen(undefined)} />
    </Panel>
  )
}
