import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { ProblemView } from '../../../components/feedback/ProblemView.tsx'

interface WithReasonProps {
  readonly title: string
  readonly consequences: string
  readonly label: string
  readonly verb: string
  readonly pending: boolean
  readonly error: unknown
  readonly onClose: () => void
  readonly onConfirm: (reason: string) => void
}

/** An intervention that others will wonder about: it is done with the reason written down. */
export function WithReason({ title, consequences, label, verb, pending, error, onClose, onConfirm }: WithReasonProps) {
  const [reason, setReason] = useState('')
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onConfirm(reason.trim())
        }}
      >
        <Stack gap="md">
          <Text size="sm">{consequences}</Text>
          <Textarea
            label={label}
            required
            autosize
            minRows={2}
            maxLength={500}
            data-autofocus
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          {error !== null && <ProblemView compact error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color="red" loading={pending} disabled={reason.trim() === ''}>
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
