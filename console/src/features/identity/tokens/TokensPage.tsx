import { Badge, Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { Age } from '../../../components/feedback/Age.tsx'
import { ConfirmDelete } from '../../../components/delete/ConfirmDelete.tsx'
import { Empty } from '../../../components/feedback/Empty.tsx'
import { Page } from '../../../components/page/Page.tsx'
import { ageColumn } from '../../../components/list/list-columns.tsx'
import { ResourceList } from '../../../components/list/ResourceList.tsx'
import type { ListColumn } from '../../../components/list/ResourceTable.tsx'
import type { TokenView } from '../../../lib/api/contract.ts'
import { useTopicWrite } from '../../../lib/api/use-write.ts'
import { CreateToken } from './CreateToken.tsx'
import { expiryText } from './expiry.ts'

export function TokensPage() {
  const [creating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<TokenView>()
  const columns = useMemo(() => tokenColumns(setRevoking), [])
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      New token
    </Button>
  )
  return (
    <Page title="Tokens" description="For programs that use the API or the command line in your name." actions={create}>
      <ResourceList<TokenView>
        noun="tokens"
        topic="tokens"
        path="/tokens"
        columns={columns}
        rowKey={(row) => row.id}
        empty={
          <Empty icon={<IconKey size={22} aria-hidden />} title="You have no tokens">
            A token lets a program act with your role, or with a lesser one. Its secret is shown once.
          </Empty>
        }
      />
      {creating && <CreateToken onClose={() => setCreating(false)} />}
      {revoking && <RevokeToken token={revoking} onClose={() => setRevoking(undefined)} />}
    </Page>
  )
}

const tokenColumns = (revoke: (token: TokenView) => void): readonly ListColumn<TokenView>[] => [
  { id: 'name', label: 'Name', value: (row) => row.name },
  { id: 'prefix', label: 'Starts with', value: (row) => row.prefix, render: (row) => `${row.prefix}…`, mono: true },
  {
    id: 'role',
    label: 'Role',
    value: (row) => row.role,
    render: (row) => (
      <Badge variant="light" tt="none" fw={500}>
        {row.role}
      </Badge>
    ),
  },
  ageColumn((row) => row.created_at),
  {
    id: 'used',
    label: 'Last used',
    value: (row) => row.last_used_at,
    render: (row) =>
      row.last_used_at === null ? (
        'never'
      ) : (
        <>
          <Age since={row.last_used_at} /> ago
        </>
      ),
  },
  {
    id: 'expires',
    label: 'Expires',
    value: (row) => row.expires_at,
    render: (row) => expiryText(row.expires_at, Date.now()),
  },
  {
    id: 'revoke',
    label: 'Action',
    value: () => '',
    sortable: false,
    render: (row) => (
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        onClick={() => revoke(row)}
        aria-label={`Revoke ${row.name}`}
      >
        Revoke
      </Button>
    ),
    width: 100,
  },
]

function RevokeToken({ token, onClose }: { readonly token: TokenView; readonly onClose: () => void }) {
  const revoke = useTopicWrite<void>(
    'tokens',
    (client) => client.delete(`/tokens/${encodeURIComponent(token.id)}`),
    () => {
      notifications.show({ message: `Token ${token.name} is revoked` })
      onClose()
    },
  )
  return (
    <ConfirmDelete
      kind="token"
      verb="Revoke"
      name={token.name}
      consequences="Programs that use this token are refused from now on. This cannot be undone."
      onClose={onClose}
      onConfirm={() => revoke.mutate()}
      pending={revoke.isPending}
      error={revoke.error}
    />
  )
}
