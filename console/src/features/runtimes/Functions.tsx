import { Text } from '@mantine/core'
import { IconMathFunction } from '@tabler/icons-react'
import { Empty } from '../../components/feedback/Empty.tsx'
import { Panel } from '../../components/detail/Panel.tsx'
import { ResourceTable } from '../../components/list/ResourceTable.tsx'
import type { ListColumn } from '../../components/list/ResourceTable.tsx'
import { StatusLabel } from '../../components/feedback/StatusLabel.tsx'
import type { RuntimeFunctionView } from '../../lib/api/contract.ts'
import { spokenFunction } from './children.ts'

export function Functions({ functions }: { readonly functions: readonly RuntimeFunctionView[] }) {
  return (
    <Panel title="Functions" flush>
      {functions.length === 0 ? (
        <Empty icon={<IconMathFunction size={22} aria-hidden />} title="It has no functions" />
      ) : (
        <ResourceTable label="functions" rows={functions} columns={COLUMNS} rowKey={(row) => row.function_key} />
      )}
    </Panel>
  )
}

function State({ row }: { readonly row: RuntimeFunctionView }) {
  const { tone, word } = spokenFunction(row)
  return (
    <div>
      <StatusLabel tone={tone} {...(row.since !== null && { since: row.since })}>
        {word}
      </StatusLabel>
      {!row.ready && row.message !== null && (
        <Text size="xs" c="dimmed">
          {row.message}
        </Text>
      )}
    </div>
  )
}

const COLUMNS: readonly ListColumn<RuntimeFunctionView>[] = [
  {
    id: 'function',
    label: 'Function',
    value: (row) => row.function_key,
    render: (row) => (
      <div>
        {row.function_key}
        {row.description !== null && (
          <Text size="xs" c="dimmed">
            {row.description}
          </Text>
        )}
      </div>
    ),
    width: 150,
  },
  {
    id: 'ready',
    label: 'State',
    value: (row) => spokenFunction(row).word,
    render: (row) => <State row={row} />,
    width: 200,
  },
  {
    id: 'source',
    label: 'Image and address',
    value: (row) => row.image ?? row.wasm_module_url,
    render: (row) => (
      <div>
        <Text size="xs" ff="monospace">
          {row.image ?? row.wasm_module_url ?? '—'}
        </Text>
        {row.url !== null && (
          <Text size="xs" ff="monospace" c="dimmed">
            {row.url}
          </Text>
        )}
      </div>
    ),
  },
  {
    id: 'scale',
    label: 'Scale',
    value: (row) => row.min_scale,
    render: ({ min_scale: min, max_scale: max }) =>
      min === null && max === null ? '—' : `${min ?? 0} – ${max || '∞'}`,
    width: 80,
  },
]
