import { IconUsers } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { Empty } from '../../components/feedback/Empty.tsx'
import { ProblemView } from '../../components/feedback/ProblemView.tsx'
import { ageColumn, menuColumn } from '../../components/list/list-columns.tsx'
import { ResourceList } from '../../components/list/ResourceList.tsx'
import type { ListColumn } from '../../components/list/ResourceTable.tsx'
import type { Me, MemberView, OrganizationRole, OrganizationView } from '../../lib/api/contract.ts'
import { api, TOPIC } from './paths.ts'
import { RemoveMember } from './RemoveMember.tsx'
import { RoleBadge } from './RoleBadge.tsx'
import { ROLES } from './roles.ts'
import { useWrite } from './use-write.ts'

interface MembersProps {
  readonly organization: OrganizationView
  readonly me: Me
  readonly mayChange: boolean
}

interface RoleChange {
  readonly member: MemberView
  readonly role: OrganizationRole
}

export function Members({ organization, me, mayChange }: MembersProps) {
  const { id } = organization
  const [removing, setRemoving] = useState<MemberView>()
  const change = useWrite<MemberView, RoleChange>((client, { member, role }, idempotencyKey) =>
    client.patch(api.member(id, member.user_id), { role }, { idempotencyKey, ifMatch: `"${member.generation}"` }),
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
        <RemoveMember organization={organization} member={removing} me={me} onClose={() => setRemoving(undefined)} />
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
        ? ROLES.filter(({ role }) => role !== row.role).map(({ role }) => ({
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
