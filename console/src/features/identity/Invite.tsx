import { Alert, Button, Code, CopyButton, Group, Modal, Select, Stack, TextInput } from '@mantine/core'
import { IconCheck, IconCopy, IconEyeOff } from '@tabler/icons-react'
import { useState } from 'react'
import { ProblemView } from '../../components/feedback/ProblemView.tsx'
import type { InvitationCreate, InvitationCreated, OrganizationRole, OrganizationView } from '../../lib/api/contract.ts'
import { api } from './paths.ts'
import { useWrite } from './use-write.ts'

const ROLES = [
  { value: 'member', label: 'member' },
  { value: 'viewer', label: 'viewer' },
  { value: 'owner', label: 'owner' },
] as const

const LIFETIMES = [
  { value: '1', label: 'One day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
]

interface InviteProps {
  readonly organization: OrganizationView
  readonly onClose: () => void
}

export function Invite({ organization: { id, name }, onClose }: InviteProps) {
  const invite = useWrite<InvitationCreated, InvitationCreate>((client, body) => client.post(api.invitations(id), body))
  return (
    <Modal
      opened
      onClose={onClose}
      title={invite.data ? 'Invitation created' : `Invite to ${name}`}
      closeOnClickOutside={!invite.data}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {invite.data ? (
        <InvitationLink url={invite.data.url} onClose={onClose} />
      ) : (
        <InviteForm pending={invite.isPending} error={invite.error} onSubmit={invite.mutate} onCancel={onClose} />
      )}
    </Modal>
  )
}

interface InviteFormProps {
  readonly pending: boolean
  readonly error: unknown
  readonly onSubmit: (invitation: InvitationCreate) => void
  readonly onCancel: () => void
}

function InviteForm({ pending, error, onSubmit, onCancel }: InviteFormProps) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<OrganizationRole>('member')
  const [days, setDays] = useState('7')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit({ email: email.trim(), role, expires_in_days: Number(days) })
      }}
    >
      <Stack gap="md">
        <TextInput
          label="Email"
          description="Caelus sends no email. The next login with this email joins, and so does the link."
          type="email"
          required
          data-autofocus
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Group grow align="flex-start">
          <Select
            label="Role"
            data={[...ROLES]}
            value={role}
            allowDeselect={false}
            onChange={(value) => value && setRole(value)}
          />
          <Select
            label="Lifetime"
            data={LIFETIMES}
            value={days}
            allowDeselect={false}
            onChange={(value) => setDays(value ?? '7')}
          />
        </Group>
        {error !== null && error !== undefined && <ProblemView compact error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={pending} disabled={email.trim() === ''}>
            Create invitation
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function InvitationLink({ url, onClose }: { readonly url: string; readonly onClose: () => void }) {
  return (
    <Stack gap="md">
      <Alert variant="default" icon={<IconEyeOff size={18} aria-hidden />} title="Copy the link now">
        Only a hash of it is stored. It cannot be shown again.
      </Alert>
      <Code block data-secret>
        {url}
      </Code>
      <Group justify="flex-end" gap="xs">
        <CopyButton value={url}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              onClick={copy}
              leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  )
}
