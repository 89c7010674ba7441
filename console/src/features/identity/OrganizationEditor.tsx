import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ProblemView } from '../../components/feedback/ProblemView.tsx'
import { refusalsOf } from '../../components/forms/refusals.ts'
import type { OrganizationCreate, OrganizationView } from '../../lib/api/contract.ts'
import { problemOf } from '../../lib/api/problem.ts'
import { api } from './paths.ts'
import { useWrite } from './use-write.ts'

interface OrganizationEditorProps {
  /** Absent: a new one. */
  readonly organization?: OrganizationView
  readonly onClose: () => void
  readonly onSaved: (organization: OrganizationView) => void
}

export function OrganizationEditor({ organization, onClose, onSaved }: OrganizationEditorProps) {
  const [name, setName] = useState(organization?.name ?? '')
  const save = useWrite<OrganizationView, OrganizationCreate>(
    (client, body, idempotencyKey) =>
      organization
        ? client.patch(api.organization(organization.id), body, {
            idempotencyKey,
            ifMatch: `"${organization.generation}"`,
          })
        : client.post('/organizations', body, { idempotencyKey }),
    onSaved,
  )
  const refused = save.error === null ? undefined : refusalsOf(problemOf(save.error)).plain.get('name')
  return (
    <Modal
      opened
      onClose={onClose}
      title={organization ? `Rename ${organization.name}` : 'New organization'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate({ name: name.trim() })
        }}
      >
        <Stack gap="md">
          <TextInput
            label="Name"
            description={organization ? undefined : 'You become the owner and can invite others.'}
            required
            maxLength={100}
            data-autofocus
            value={name}
            error={refused}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {save.error !== null && refused === undefined && <ProblemView compact error={save.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending} disabled={name.trim() === ''}>
              {organization ? 'Save' : 'Create organization'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
