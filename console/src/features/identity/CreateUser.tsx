import { Button, Group, Modal, Stack, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { refusalsOf } from '../../components/forms/index.ts'
import { ProblemView } from '../../components/feedback/ProblemView.tsx'
import type { UserCreate, UserView } from '../../lib/api/contract.ts'
import { problemOf } from '../../lib/api/problem.ts'
import { useTopicWrite } from '../../lib/api/use-write.ts'
import { USERS_TOPIC } from './paths.ts'

export function CreateUser({ onClose }: { readonly onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [isAdmin, setAdmin] = useState(false)
  const create = useTopicWrite<UserView, UserCreate>(
    USERS_TOPIC,
    (client, body, idempotencyKey) => client.post('/users', body, { idempotencyKey }),
    onClose,
  )
  const refused = create.error === null ? undefined : refusalsOf(problemOf(create.error)).plain.get('email')
  return (
    <Modal opened onClose={onClose} title="New user" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate({ email: email.trim(), is_admin: isAdmin })
        }}
      >
        <Stack gap="md">
          <TextInput
            label="Email"
            description="The user can own apps before the first login."
            type="email"
            required
            data-autofocus
            value={email}
            error={refused}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Switch
            label="Admin"
            description="Sees and changes everything."
            checked={isAdmin}
            onChange={(event) => setAdmin(event.currentTarget.checked)}
          />
          {create.error !== null && refused === undefined && <ProblemView compact error={create.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending} disabled={email.trim() === ''}>
              Create user
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
