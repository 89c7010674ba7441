import { IconUsers } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { ConfirmDelete } from '../../components/delete/ConfirmDelete.tsx'
import { Empty } from '../../components/feedback/Empty.tsx'
import { ProblemView } from '../../components/feedback/ProblemView.tsx'
import { ageColumn, menuColumn } from '../../components/list/list-columns.tsx'
import { ResourceList } from '../../components/list/ResourceList.tsx'
import type { ListColumn } from '../../components/list/ResourceTable.tsx'
import type { Me, MemberView, OrganizationRole, OrganizationView } from '../../lib/api/contract.ts'
import { api, pages, TOPIC } from './paths.ts'
import { RoleBadge } from './RoleBadge.tsx'
import { useWrite } from './use-write.ts'

interface MembersProps {
  readonly organization: OrganizationView
  readonly me: Me
  readonly mayChange: boolean
}

const ROLES: readonly OrganizationRole[] = ['owner', 'member', 'viewer']

interface RoleChange {
  readonly member: MemberView
  readonly role: OrganizationRole
}

export function Members({ organization: { id, name }, me, mayChange }: MembersProps) {
  const [removing, setRemoving] = useState<MemberView>()
  const [, go] = useLocation()
  const isMe = removing?.user_id === me.id
  const change = useWrite<MemberView, RoleChange>((client, { member, role }, idempotencyKey) =>
    client.patch(api.member(id, member.user_id), { role }, { idempotencyKey, ifMatch: `"${member.generation}"` }),
  )
  const remove = useWrite<void, string>(
    (client, userId) => client.delete(api.member(id, userId)),
    (_, userId) => {
      setRemoving(undefined)
      if (userId === me.id && me.role !== 'admin') go(pages.organizations)
    },
  )
  const { mutate } = change
  const columns = useMemo(
    () => memberColumns({ meId: me.id, mayChange, change: mutate, remove: setRemoving }),
    [me.id, mayChange, mutate],
  )
  return (
    <>
      {change.error !== null && <ProblemView compact error={change.error} />}
      <ResourceList<MemberView>
        noun="members"
        topic={TOPIC}
        path={api.members(id)}
        columns={columns}
        rowKey={(row) => row.user_id}
        empty={<Empty icon={<IconUsers size={22} aria-hidden />} title="There are no members" />}
      />
      {removing && (
        <ConfirmDelete
          kind={isMe ? 'organization' : 'member'}
          verb={isMe ? 'Leave' : 'Remove'}
          name={isMe ? name : removing.email}
          consequences={
            isMe ? `You lose access to ${name}.` : `${removing.email} loses access to ${name} and everything in it.`
          }
          onClose={() => setRemoving(undefined)}
          onConfirm={() => remove.mutate(removing.user_id)}
          pending={remove.isPending}
          error={remove.error}
        />
      )}
    </>
  )
}

interface Actions {
  readonly meId: string
  readonly mayChange: boolean
  readonly change: (change: RoleChange) => void
  readonly remove: (member: MemberView) => void
}

const memberColumns = ({ meId, mayChange, change, remove }: Actions): readonly ListColumn<MemberView>[] => [
  { id: 'email', label: 'Email', value: (row) => row.email },
  { id: 'role', label: 'Role', value: (row) => row.role, render: (row) => <RoleBadge role={row.role} />, width: 110 },
  ageColumn((row) => row.created_at),
  menuColumn((row) => ({
    name: row.email,
    actions: [
      ...(mayChange
        ? ROLES.filter((role) => role !== row.role).map((role) => ({
            label: `Make ${role}`,
            onClick: () => change({ member: row, role }),
          }))
        : []),
      ...(row.user_id === meId
        ? [{ label: 'Leave', isDangerous: true, onClick: () => remove(row) }]
        : mayChange
          ? [{ label: 'Remove', isDangerous: true, onClick: () => remove(row) }]
          : []),
    ],
  })),
]
