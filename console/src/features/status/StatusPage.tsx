import { SimpleGrid, Stack } from '@mantine/core'
import { IconServerOff } from '@tabler/icons-react'
import { Age } from '../../components/feedback/Age.tsx'
import { Empty } from '../../components/feedback/Empty.tsx'
import { Facts } from '../../components/detail/Facts.tsx'
import { Loaded } from '../../components/feedback/Loaded.tsx'
import { Page } from '../../components/page/Page.tsx'
import { Panel } from '../../components/detail/Panel.tsx'
import { ProgressSteps } from '../../components/feedback/ProgressSteps.tsx'
import { ResourceTable } from '../../components/list/ResourceTable.tsx'
import type { ListColumn } from '../../components/list/ResourceTable.tsx'
import { StatusLabel } from '../../components/feedback/StatusLabel.tsx'
import type { ComponentView, DomainView, NodeView, StatusView } from '../../lib/api/contract.ts'
import { useStatus } from '../../lib/api/queries.ts'
import { spokenHealth } from '../../lib/tone.ts'

const health = (row: ComponentView | DomainView) => {
  const { tone, word } = spokenHealth(row.health)
  return (
    <StatusLabel tone={tone} since={row.since}>
      {word}
    </StatusLabel>
  )
}

const COMPONENTS: readonly ListColumn<ComponentView>[] = [
  { id: 'name', label: 'Component', value: (row) => row.name, width: 170 },
  { id: 'health', label: 'State', value: (row) => row.health, render: health, width: 190 },
  { id: 'version', label: 'Version', value: (row) => row.version, mono: true, width: 160 },
  { id: 'message', label: 'Message', value: (row) => row.message },
]

const DOMAINS: readonly ListColumn<DomainView>[] = [
  { id: 'name', label: 'Domain', value: (row) => row.name, width: 170 },
  { id: 'health', label: 'State', value: (row) => row.health, render: health, width: 190 },
  { id: 'objects', label: 'Objects', value: (row) => (row.enabled ? row.objects : null), width: 90 },
  { id: 'not_ready', label: 'Not ready', value: (row) => (row.enabled ? row.not_ready : null), width: 100 },
  { id: 'message', label: 'Message', value: (row) => row.message },
]

const NODES: readonly ListColumn<NodeView>[] = [
  { id: 'name', label: 'Node', value: (row) => row.name, mono: true },
  {
    id: 'ready',
    label: 'State',
    value: (row) => (row.ready ? 'Ready' : 'Not ready'),
    render: (row) => (
      <StatusLabel tone={row.ready ? 'good' : 'bad'} since={row.since}>
        {row.ready ? 'Ready' : 'Not ready'}
      </StatusLabel>
    ),
  },
  { id: 'version', label: 'Kubelet', value: (row) => row.version, mono: true },
]

export function StatusPage() {
  const status = useStatus()
  return (
    <Page title="Status" description="What this installation is made of, and how each part is.">
      <Loaded query={status}>{(data) => <Parts status={data} />}</Loaded>
    </Page>
  )
}

function Parts({ status }: { readonly status: StatusView }) {
  const { preparation, kubernetes, queue } = status
  return (
    <Stack gap="md">
      <Panel title="Components" flush>
        <ResourceTable label="components" rows={status.components} columns={COMPONENTS} rowKey={(row) => row.name} />
      </Panel>
      <Panel title="Domains" flush>
        <ResourceTable label="domains" rows={status.domains} columns={DOMAINS} rowKey={(row) => row.name} />
      </Panel>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Panel title="Process">
          <Facts
            facts={[
              ['Version', status.version],
              ['Running for', <Age key="age" since={status.started_at} />],
              [
                'Queue',
                queue
                  ? `${queue.running} running, ${queue.due} due, ${queue.waiting} waiting, ${queue.parked} parked`
                  : 'not reachable',
              ],
            ]}
          />
        </Panel>
        {preparation && (
          <Panel title="Preparation of the local control plane">
            <ProgressSteps label="Preparation of the local control plane" steps={preparation.steps} />
          </Panel>
        )}
      </SimpleGrid>
      <Panel title={kubernetes ? `Nodes of Kubernetes ${kubernetes.version}` : 'Nodes'} flush>
        {kubernetes && kubernetes.nodes.length > 0 ? (
          <ResourceTable label="nodes" rows={kubernetes.nodes} columns={NODES} rowKey={(row) => row.name} />
        ) : (
          <Empty
            icon={<IconServerOff size={22} aria-hidden />}
            title={kubernetes ? 'The control plane has no nodes' : 'No control plane is connected yet'}
          />
        )}
      </Panel>
    </Stack>
  )
}
