import { useLocation } from 'wouter'
import { ConfirmDelete } from '../../components/delete/ConfirmDelete.tsx'
import type { Me, MemberView, OrganizationView } from '../../lib/api/contract.ts'
import { api, pages } from './paths.ts'
import { useWrite } from './use-write.ts'

interface RemoveMemberProps {
  readonly organization: OrganizationView
  readonly member: MemberView
  readonly me: Me
  readonly onClose: () => void
}

/** Removes a member, or leaves: only admins still see an organization that they left. */
export function RemoveMember({ organization: { id, name }, member, me, onClose }: RemoveMemberProps) {
  const [, go] = useLocation()
  const isMe = member.user_id === me.id
  const remove = useWrite<void>(async (client) => {
    await client.delete(api.member(id, member.user_id))
    // Before the topic is read again: the page would show that the organization does not exist.
    if (isMe && me.role !== 'admin') go(pages.organizations)
  }, onClose)
  return (
    <ConfirmDelete
      kind={isMe ? 'organization' : 'member'}
      verb={isMe ? 'Leave' : 'Remove'}
      name={isMe ? name : member.email}
      consequences={
        isMe ? `You lose access to ${name}.` : `${member.email} loses access to ${name} and everything in it.`
      }
      onClose={onClose}
      onConfirm={() => remove.mutate()}
      pending={remove.isPending}
      error={remove.error}
    />
  )
}
