import { Panel } from '../../components/detail/Panel.tsx'
import { ResourceTable } from '../../components/list/ResourceTable.tsx'
import type { ListColumn } from '../../components/list/ResourceTable.tsx'
import { StatusLabel } from '../../components/feedback/StatusLabel.tsx'
import type { DemoObjectView } from '../../lib/api/contract.ts'
import type { Tone } from '../../lib/tone.ts'

const TONES: Record<DemoObjectView['ready'], Tone> = { True: 'good', False: 'bad', Unknown: 'wait' }

const COLUMNS: readonly ListColumn<DemoObjectView>[] = [
  { id: 'object', label: 'Object', value: (row) => `${row.kind}/${row.id}`, mono: true },
  {
    id: 'state',
    label: 'State',
    value: (row) => row.reason,
    render: (row) => (
      <StatusLabel tone={TONES[row.ready]} since={row.since}>
        {row.reason}
      </StatusLabel>
    ),
  },
  { id: 'message', label: 'Message', value: (row) => row.message },
]

/** The built-in example, converging before the reader's eyes. */
export function DemoObjects({ objects }: { readonly objects: readonly DemoObjectView[] }) {
  return (
    <Panel title="Example objects" flush>
      <ResourceTable
        label="example objects"
        rows={objects}
        columns={COLUMNS}
        rowKey={(row) => `${row.kind}/${row.id}`}
      />
    </Panel>
  )
}
