import { Button, Code, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ProblemView } from '../../../components/feedback/ProblemView.tsx'
import { ShownOnce } from '../../../components/feedback/ShownOnce.tsx'
import type { Role, TokenCreate, TokenCreated } from '../../../lib/api/contract.ts'
import { useMe } from '../../../lib/api/queries.ts'
import { useTopicWrite } from '../../../lib/api/use-write.ts'

const LIFETIMES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
  { value: '', label: 'Does not expire' },
]

export function CreateToken({ onClose }: { readonly onClose: () => void }) {
  const create = useTopicWrite<TokenCreated, TokenCreate>('tokens', (client, body) => client.post('/tokens', body))
  return (
    <Modal
      opened
      onClose={onClose}
      title={create.data ? 'Token created' : 'New token'}
      closeOnClickOutside={!create.data}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {create.data ? (
        <ShownOnce noun="token" secret={create.data.secret} onClose={onClose}>
          <Text size="xs" c="dimmed">
            Send it as <Code>Authorization: Bearer …</Code>
          </Text>
        </ShownOnce>
      ) : (
        <TokenForm pending={create.isPending} error={create.error} onSubmit={create.mutate} onCancel={onClose} />
      )}
    </Modal>
  )
}

interface TokenFormProps {
  readonly pending: boolean
  readonly error: unknown
  readonly onSubmit: (token: TokenCreate) => void
  readonly onCancel: () => void
}

function TokenForm({ pending, error, onSubmit, onCancel }: TokenFormProps) {
  const me = useMe()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('member')
  const [days, setDays] = useState('30')
  const roles: readonly Role[] = me.data?.role === 'admin' ? ['member', 'admin'] : ['member']
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit({ name: name.trim(), role, expires_in_days: days === '' ? null : Number(days) })
      }}
    >
      <Stack gap="md">
        <TextInput
          label="Name"
          description="What it is for, such as the name of a pipeline."
          required
          maxLength={100}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Group grow align="flex-start">
          <Select
            label="Role"
            data={[...roles]}
            value={role}
            allowDeselect={false}
            onChange={(value) => value && setRole(value)}
          />
          <Select
            label="Lifetime"
            data={LIFETIMES}
            value={days}
            allowDeselect={false}
            onChange={(value) => setDays(value ?? '')}
          />
        </Group>
        {error !== null && error !== undefined && <ProblemView compact error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={pending} disabled={name.trim() === ''}>
            Create token
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
