import { Button, Code, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { ProblemView } from '../feedback/ProblemView.tsx'

interface ConfirmDeleteProps {
  /** What kind of thing, in lower case: `token`. */
  readonly kind: string
  /** Has to be typed, so that the wrong thing is not deleted by habit. */
  readonly name: string
  /** What will happen, in a sentence or two. */
  readonly consequences: ReactNode
  /** The verb on the button. @default 'Delete' */
  readonly verb?: string
  /** What else is to be chosen. */
  readonly choice?: ReactNode
  readonly onClose: () => void
  readonly onConfirm: () => void
  readonly pending: boolean
  readonly error?: unknown
}

export function ConfirmDelete({
  kind,
  name,
  consequences,
  verb = 'Delete',
  choice,
  onClose,
  onConfirm,
  pending,
  error,
}: ConfirmDeleteProps) {
  const [typed, setTyped] = useState('')
  const matches = typed === name
  return (
    <Modal opened onClose={onClose} title={`${verb} ${kind}`} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (matches) onConfirm()
        }}
      >
        <Stack gap="md">
          <Text size="sm">{consequences}</Text>
          {choice}
          <TextInput
            label={
              <>
                Type <Code>{name}</Code> to confirm
              </>
            }
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
          {error !== undefined && error !== null && <ProblemView compact error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color="red" disabled={!matches} loading={pending}>
              {verb} {kind}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
