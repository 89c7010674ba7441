import { Stack } from '@mantine/core'
import { Age } from '../../components/feedback/Age.tsx'
import { Facts } from '../../components/detail/Facts.tsx'
import { Loaded } from '../../components/feedback/Loaded.tsx'
import { Page } from '../../components/page/Page.tsx'
import { Panel } from '../../components/detail/Panel.tsx'
import { ProgressSteps } from '../../components/feedback/ProgressSteps.tsx'
import { StatusLabel } from '../../components/feedback/StatusLabel.tsx'
import type { PreparationView, StatusView } from '../../lib/api/contract.ts'
import { elapsedText } from '../../lib/age.ts'
import { useMe, useStatus } from '../../lib/api/queries.ts'
import { useNow } from '../../lib/now.ts'
import { spokenHealth } from '../../lib/tone.ts'
import { ControlPlane } from './ControlPlane.tsx'
import { DemoObjects } from './DemoObjects.tsx'
import { headline } from './headline.ts'
import { LatestDecisions } from './LatestDecisions.tsx'
import { LatestEvents } from './LatestEvents.tsx'
import classes from './OverviewPage.module.css'

export function OverviewPage() {
  const status = useStatus()
  const head = status.data && headline(status.data)
  return (
    <Page
      title="Overview"
      description="One control plane: what is desired wakes the kernel, and the kernel makes it so."
      actions={head && <StatusLabel tone={head.tone}>{head.text}</StatusLabel>}
    >
      <Loaded query={status}>{(data) => <Overview status={data} />}</Loaded>
    </Page>
  )
}

function Overview({ status }: { readonly status: StatusView }) {
  const { preparation, demo } = status
  const me = useMe()
  return (
    <Stack gap="md">
      <Panel>
        <ControlPlane status={status} />
      </Panel>
      <div className={classes.columns}>
        <Stack gap="md">
          {demo !== undefined && demo.length > 0 && <DemoObjects objects={demo} />}
          {me.data?.role === 'admin' ? <LatestDecisions /> : <LatestEvents />}
        </Stack>
        <Stack gap="md">
          {preparation && preparation.state !== 'done' && <Preparation preparation={preparation} />}
          <Installation status={status} />
          {preparation?.state === 'done' && <Preparation preparation={preparation} />}
        </Stack>
      </div>
    </Stack>
  )
}

function Preparation({ preparation }: { readonly preparation: PreparationView }) {
  const now = useNow()
  const ended = preparation.ended_at === null ? now : Date.parse(preparation.ended_at)
  const elapsed = elapsedText(ended - Date.parse(preparation.started_at))
  return (
    <Panel
      title="Local control plane"
      aside={
        <span className={`${classes.elapsed} tabular`}>
          {preparation.state === 'done' ? `ready after ${elapsed}` : elapsed}
        </span>
      }
    >
      <ProgressSteps label="Preparation of the local control plane" steps={preparation.steps} />
    </Panel>
  )
}

function Installation({ status }: { readonly status: StatusView }) {
  const postgres = status.components.find(({ name }) => name === 'postgresql')
  const nodes = status.kubernetes?.nodes ?? []
  const ready = nodes.filter((node) => node.ready).length
  return (
    <Panel title="Installation">
      <Facts
        facts={[
          ['Caelus', status.version],
          [
            'Kubernetes',
            status.kubernetes ? `${status.kubernetes.version} (${status.kubernetes.origin})` : 'not connected',
          ],
          ['Nodes', status.kubernetes ? `${ready} of ${nodes.length} ready` : '—'],
          ['PostgreSQL', postgres ? (postgres.version ?? spokenHealth(postgres.health).word) : '—'],
          ['Running for', <Age key="age" since={status.started_at} />],
        ]}
      />
    </Panel>
  )
}
