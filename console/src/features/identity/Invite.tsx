import { Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ProblemView } from '../../components/feedback/ProblemView.tsx'
import { ShownOnce } from '../../components/feedback/ShownOnce.tsx'
import { refusalsOf } from '../../components/forms/index.ts'
import type { InvitationCreate, InvitationCreated, OrganizationRole, OrganizationView } from '../../lib/api/contract.ts'
import { problemOf } from '../../lib/api/problem.ts'
import { api } from './paths.ts'
import { ROLES } from './roles.ts'
import { useWrite } from './use-write.ts'

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
        <ShownOnce noun="link" secret={invite.data.url} onClose={onClose}>
          <Text size="xs" c="dimmed">
            Send it to {invite.data.email}. Anyone who opens it joins {name}.
          </Text>
        </ShownOnce>
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
  const refused = error === null ? undefined : refusalsOf(problemOf(error)).plain.get('email')
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
          description="Caelus sends no email. This email joins with its next login, or by the link that you send."
          type="email"
          required
          data-autofocus
          value={email}
          error={refused}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Group grow align="flex-start">
          <Select
            label="Role"
            description={ROLES.find((known) => known.role === role)?.may}
            inputWrapperOrder={['label', 'input', 'description']}
            data={ROLES.map((known) => known.role)}
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
        {error !== null && refused === undefined && <ProblemView compact error={error} />}
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
