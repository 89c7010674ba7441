import { Badge, Code } from '@mantine/core'
import { IconLock, IconSettings } from '@tabler/icons-react'
import { Empty } from '../../components/feedback/Empty.tsx'
import { Page } from '../../components/page/Page.tsx'
import { Prose } from '../../components/feedback/Prose.tsx'
import { ResourceList } from '../../components/list/ResourceList.tsx'
import type { ListColumn } from '../../components/list/ResourceTable.tsx'
import type { ConfigEntryView } from '../../lib/api/contract.ts'

const COLUMNS: readonly ListColumn<ConfigEntryView>[] = [
  { id: 'name', label: 'Name', value: (row) => row.name, mono: true, width: '26%' },
  {
    id: 'value',
    label: 'Value',
    value: (row) => row.value,
    render: (row) =>
      row.value === null ? (
        '—'
      ) : (
        <Code>
          {row.secret && <IconLock size={11} aria-label="secret" />} {row.value}
        </Code>
      ),
    width: '24%',
  },
  {
    id: 'source',
    label: 'Set by',
    value: (row) => row.source,
    render: (row) => (
      <Badge variant={row.source === 'default' ? 'default' : 'light'} tt="none" fw={500}>
        {row.source}
      </Badge>
    ),
    width: 130,
  },
  {
    id: 'description',
    label: 'What it does',
    value: (row) => row.description,
    render: (row) => <Prose text={row.description} />,
  },
]

export function ConfigurationPage() {
  return (
    <Page
      title="Configuration"
      description="What this process runs with, and where each value comes from. Secrets are masked by the API."
    >
      <ResourceList<ConfigEntryView>
        noun="settings"
        topic="config"
        path="/config"
        columns={COLUMNS}
        rowKey={(row) => row.name}
        empty={<Empty icon={<IconSettings size={22} aria-hidden />} title="Nothing is configured" />}
      />
    </Page>
  )
}
