import { Text } from '@mantine/core'
import { IconGitCommit } from '@tabler/icons-react'
import { Empty } from '../../components/feedback/Empty.tsx'
import { OutcomeLabel } from '../../components/insight/DecisionExplained.tsx'
import { ExplainDrawer } from '../../components/insight/ExplainDrawer.tsx'
import { ageColumn } from '../../components/list/list-columns.tsx'
import { Page } from '../../components/page/Page.tsx'
import { ResourceList } from '../../components/list/ResourceList.tsx'
import type { ListColumn } from '../../components/list/ResourceTable.tsx'
import { useAddress } from '../../lib/address.ts'
import type { DecisionView } from '../../lib/api/contract.ts'

const COLUMNS: readonly ListColumn<DecisionView>[] = [
  { id: 'object', label: 'Object', value: (row) => `${row.kind}/${row.object_id}`, mono: true, width: '22%' },
  {
    id: 'decision',
    label: 'Decision',
    value: (row) => row.decision,
    render: (row) => (
      <Text size="sm" lineClamp={2}>
        {row.decision}
      </Text>
    ),
    width: '20%',
  },
  {
    id: 'because',
    label: 'Because',
    value: (row) => row.because,
    render: (row) => (
      <Text size="sm" lineClamp={3}>
        {row.because || '—'}
      </Text>
    ),
  },
  {
    id: 'outcome',
    label: 'Outcome',
    value: (row) => row.outcome,
    render: (row) => <OutcomeLabel outcome={row.outcome} />,
    width: 150,
  },
  { id: 'controller', label: 'Controller', value: (row) => row.controller, width: 120 },
  ageColumn((row) => row.at),
]

export function DecisionsPage() {
  const [params, setParam] = useAddress()
  const open = (id: string | undefined): void => setParam('decision', id ?? '', { replace: false })
  return (
    <Page
      title="Decisions"
      description="Every pass of a controller: what it saw, what it decided, how it ended. The last ones are kept; open one to see why."
    >
      <ResourceList<DecisionView>
        noun="decisions"
        topic="decisions"
        path="/decisions"
        columns={COLUMNS}
        rowKey={(row) => row.id}
        onOpen={(row) => open(row.id)}
        empty={
          <Empty icon={<IconGitCommit size={22} aria-hidden />} title="Nothing was decided yet">
            Decisions appear here as soon as a controller looks at its first object.
          </Empty>
        }
      />
      <ExplainDrawer decisionId={params.get('decision') ?? undefined} onClose={() => open(undefined)} />
    </Page>
  )
}
