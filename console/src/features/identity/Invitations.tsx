import { Button } from '@mantine/core'
import { IconMail, IconPlus } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { Empty } from '../../components/feedback/Empty.tsx'
import { ProblemView } from '../../components/feedback/ProblemView.tsx'
import { ageColumn, menuColumn } from '../../components/list/list-columns.tsx'
import { ResourceList } from '../../components/list/ResourceList.tsx'
import type { ListColumn } from '../../components/list/ResourceTable.tsx'
import type { InvitationView, OrganizationView } from '../../lib/api/contract.ts'
import { Invite } from './Invite.tsx'
import { api, TOPIC } from './paths.ts'
import { RoleBadge } from './RoleBadge.tsx'
import { expiryText } from './tokens/expiry.ts'
import { useWrite } from './use-write.ts'

/** Open invitations, for owners. */
export function Invitations({ organization }: { readonly organization: OrganizationView }) {
  const { id } = organization
  const [inviting, setInviting] = useState(false)
  const revoke = useWrite<void, string>((client, invitationId) => client.delete(api.invitation(id, invitationId)))
  const { mutate } = revoke
  const columns = useMemo(() => invitationColumns(mutate), [mutate])
  return (
    <>
      {revoke.error !== null && <ProblemView compact error={revoke.error} />}
      <ResourceList<InvitationView>
        noun="invitations"
        topic={TOPIC}
        path={api.invitations(id)}
        columns={columns}
        rowKey={(row) => row.id}
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
            Invite
          </Button>
        }
        empty={
          <Empty icon={<IconMail size={22} aria-hidden />} title="There are no open invitations">
            A login with the invited email joins, and so does any logged-in user who opens the link of the invitation.
          </Empty>
        }
      />
      {inviting && <Invite organization={organization} onClose={() => setInviting(false)} />}
    </>
  )
}

const invitationColumns = (revoke: (id: string) => void): readonly ListColumn<InvitationView>[] => [
  { id: 'email', label: 'Email', value: (row) => row.email },
  { id: 'role', label: 'Role', value: (row) => row.role, render: (row) => <RoleBadge role={row.role} />, width: 110 },
  {
    id: 'expires',
    label: 'Expires',
    value: (row) => row.expires_at,
    render: (row) => expiryText(row.expires_at, Date.now()),
    width: 140,
  },
  ageColumn((row) => row.created_at),
  menuColumn((row) => ({
    name: row.email,
    actions: [{ label: 'Revoke', isDangerous: true, onClick: () => revoke(row.id) }],
  })),
]
