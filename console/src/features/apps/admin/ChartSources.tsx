import { Button } from '@mantine/core'
import { IconPlus, IconServer } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { ConfirmDelete } from '../../../components/delete/ConfirmDelete.tsx'
import { Empty } from '../../../components/feedback/Empty.tsx'
import { ageColumn, menuColumn } from '../../../components/list/list-columns.tsx'
import { ResourceList } from '../../../components/list/ResourceList.tsx'
import type { ListColumn } from '../../../components/list/ResourceTable.tsx'
import type { ChartSourceView } from '../../../lib/api/contract.ts'
import { api, TOPIC } from '../paths.ts'
import { useWrite } from '../use-write.ts'
import { ChartSourceEditor } from './ChartSourceEditor.tsx'

type Dialog = { readonly is: 'new' } | { readonly is: 'edit' | 'delete'; readonly source: ChartSourceView }

/** The hosts of charts that require credentials or an authority. */
export function ChartSources() {
  const [dialog, setDialog] = useState<Dialog>()
  const close = (): void => setDialog(undefined)
  const columns = useMemo(() => sourceColumns(setDialog), [])
  return (
    <>
      <ResourceList<ChartSourceView>
        noun="sources"
        topic={TOPIC}
        path="/chart-sources"
        columns={columns}
        rowKey={(row) => row.host}
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setDialog({ is: 'new' })}>
            New source
          </Button>
        }
        empty={
          <Empty icon={<IconServer size={22} aria-hidden />} title="Charts are fetched anonymously">
            A registry or repository that wants a password, has an authority of its own, or whose charts must be signed,
            is a source.
          </Empty>
        }
      />
      {dialog?.is === 'new' && <ChartSourceEditor onClose={close} />}
      {dialog?.is === 'edit' && <ChartSourceEditor source={dialog.source} onClose={close} />}
      {dialog?.is === 'delete' && <DeleteSource source={dialog.source} onClose={close} />}
    </>
  )
}

const sourceColumns = (open: (dialog: Dialog) => void): readonly ListColumn<ChartSourceView>[] => [
  { id: 'host', label: 'Host', value: (row) => row.host, mono: true },
  { id: 'username', label: 'User', value: (row) => row.username ?? 'anonymous' },
  { id: 'ca', label: 'Authority', value: (row) => (row.ca === null ? 'the usual ones' : 'its own') },
  {
    id: 'signed',
    label: 'Signatures',
    value: ({ verification, keys }) =>
      verification === 'none'
        ? 'not required'
        : `by ${keys.map(({ identity }) => identity).join(', ') || 'keys of the platform'}`,
  },
  ageColumn((row) => row.updated_at),
  menuColumn((row) => ({
    name: row.host,
    actions: [
      { label: 'Edit', onClick: () => open({ is: 'edit', source: row }) },
      { label: 'Delete', isDangerous: true, onClick: () => open({ is: 'delete', source: row }) },
    ],
  })),
]

interface DeleteSourceProps {
  readonly source: ChartSourceView
  readonly onClose: () => void
}

function DeleteSource({ source: { host }, onClose }: DeleteSourceProps) {
  const remove = useWrite<void>((client) => client.delete(api.chartSource(host)), onClose)
  return (
    <ConfirmDelete
      kind="source"
      name={host}
      consequences="Charts of this host are fetched anonymously and need no signature of its own from now on. Those that were fetched before stay at hand."
      onClose={onClose}
      onConfirm={() => remove.mutate()}
      pending={remove.isPending}
      error={remove.error}
    />
  )
}
