import { Badge, Button } from '@mantine/core'
import { IconPlus, IconUsers } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Empty } from '../../components/feedback/Empty.tsx'
import { ProblemView } from '../../components/feedback/ProblemView.tsx'
import { Page } from '../../components/page/Page.tsx'
import { ageColumn, menuColumn } from '../../components/list/list-columns.tsx'
import { ResourceList } from '../../components/list/ResourceList.tsx'
import type { ListColumn } from '../../components/list/ResourceTable.tsx'
import { StatusLabel } from '../../components/feedback/StatusLabel.tsx'
import type { UserPatch, UserView } from '../../lib/api/contract.ts'
import { ME_KEY, useMe } from '../../lib/api/queries.ts'
import { useTopicWrite } from '../../lib/api/use-write.ts'
import { FreezeUser } from '../apps/admin/FreezeUser.tsx'
import { UserLimits } from '../apps/admin/UserLimits.tsx'
import { CreateUser } from './CreateUser.tsx'
import { DeleteUser } from './DeleteUser.tsx'
import { api, USERS_TOPIC } from './paths.ts'

type Dialog = { readonly kind: 'freeze' | 'delete' | 'limits'; readonly user: UserView }

interface Actions {
  readonly open: (dialog: Dialog) => void
  readonly unfreeze: (id: string) => void
  readonly change: (change: { readonly id: string } & UserPatch) => void
}

export function UsersPage() {
  const me = useMe()
  const queries = useQueryClient()
  const [creating, setCreating] = useState(false)
  const [dialog, setDialog] = useState<Dialog>()
  const close = (): void => setDialog(undefined)
  const unfreeze = useTopicWrite<void, string>(USERS_TOPIC, (client, id) => client.post(`${api.user(id)}:unfreeze`))
  const change = useTopicWrite<UserView, { readonly id: string } & UserPatch>(
    USERS_TOPIC,
    (client, { id, ...patch }, idempotencyKey) => client.patch(api.user(id), patch, { idempotencyKey }),
    ({ id }) => {
      // The menu and the pages depend on the own role.
      if (id === me.data?.id) void queries.invalidateQueries({ queryKey: ME_KEY })
    },
  )
  const { mutate: unfreezeUser } = unfreeze
  const { mutate: changeUser } = change
  const columns = useMemo(
    () => userColumns({ open: setDialog, unfreeze: unfreezeUser, change: changeUser }),
    [unfreezeUser, changeUser],
  )
  const error = unfreeze.error ?? change.error
  return (
    <Page
      title="Users"
      description="Everyone who may log in, with the apps that they own."
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
          New user
        </Button>
      }
    >
      {error !== null && <ProblemView compact error={error} />}
      <ResourceList<UserView>
        noun="users"
        topic={USERS_TOPIC}
        path="/users"
        columns={columns}
        rowKey={(row) => row.id}
        empty={<Empty icon={<IconUsers size={22} aria-hidden />} title="There are no users" />}
      />
      {creating && <CreateUser onClose={() => setCreating(false)} />}
      {dialog?.kind === 'freeze' && <FreezeUser user={dialog.user} onClose={close} />}
      {dialog?.kind === 'limits' && <UserLimits user={dialog.user} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteUser user={dialog.user} onClose={close} />}
    </Page>
  )
}

const userColumns = ({ open, unfreeze, change }: Actions): readonly ListColumn<UserView>[] => [
  { id: 'email', label: 'Email', value: (row) => row.email },
  {
    id: 'role',
    label: 'Role',
    value: (row) => (row.is_admin ? 'admin' : 'member'),
    render: (row) => (
      <Badge variant="light" tt="none" fw={500} color={row.is_admin ? 'sky' : 'gray'}>
        {row.is_admin ? 'admin' : 'member'}
      </Badge>
    ),
    width: 110,
  },
  { id: 'deployments', label: 'Apps', value: (row) => row.deployments, width: 80 },
  {
    id: 'state',
    label: 'State',
    value: (row) => (row.frozen ? 'Frozen' : 'Active'),
    render: (row) => <StatusLabel tone={row.frozen ? 'info' : 'good'}>{row.frozen ? 'Frozen' : 'Active'}</StatusLabel>,
    width: 110,
  },
  ageColumn((row) => row.created_at),
  menuColumn((row) => ({
    name: row.email,
    actions: [
      {
        label: row.is_admin ? 'Make a member' : 'Make an admin',
        onClick: () => change({ id: row.id, is_admin: !row.is_admin }),
      },
      row.frozen
        ? { label: 'Unfreeze', onClick: () => unfreeze(row.id) }
        : { label: 'Freeze', onClick: () => open({ kind: 'freeze', user: row }) },
      { label: 'Limits', onClick: () => open({ kind: 'limits', user: row }) },
      { label: 'Delete', isDangerous: true, onClick: () => open({ kind: 'delete', user: row }) },
    ],
  })),
]
