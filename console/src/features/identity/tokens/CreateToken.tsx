import { Alert, Button, Code, CopyButton, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { IconCheck, IconCopy, IconEyeOff } from '@tabler/icons-react'
import { useState } from 'react'
import { ProblemView } from '../../../components/feedback/ProblemView.tsx'
import { newIdempotencyKey } from '../../../lib/api/client.ts'
import { useApi } from '../../../lib/api/context.tsx'
import type { Role, TokenCreate, TokenCreated } from '../../../lib/api/contract.ts'
import { useMe } from '../../../lib/api/queries.ts'

const LIFETIMES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
  { value: '', label: 'Does not expire' },
]

export function CreateToken({ onClose }: { readonly onClose: () => void }) {
  const api = useApi()
  const queries = useQueryClient()
  // One key per opened form: pressing twice, or again after a lost answer, makes one token.
  const [idempotencyKey] = useState(newIdempotencyKey)
  const create = useMutation({
    mutationFn: (token: TokenCreate) => api.post<TokenCreated>('/tokens', token, { idempotencyKey }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['tokens'] }),
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={create.data ? 'Token created' : 'New token'}
      closeOnClickOutside={!create.data}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {create.data ? (
        <Secret token={create.data} onClose={onClose} />
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
        onSubmit({ name, role, expires_in_days: days === '' ? null : Number(days) })
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

function Secret({ token, onClose }: { readonly token: TokenCreated; readonly onClose: () => void }) {
  return (
    <Stack gap="md">
      <Alert variant="default" icon={<IconEyeOff size={18} aria-hidden />} title="Copy it now">
        Only a hash is kept. The secret cannot be shown again.
      </Alert>
      <Code block data-secret>
        {token.secret}
      </Code>
      <Text size="xs" c="dimmed">
        Send it as <Code>Authorization: Bearer …</Code>
      </Text>
      <Group justify="flex-end" gap="xs">
        <CopyButton value={token.secret}>
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
