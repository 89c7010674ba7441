import { Alert, Button, Code, CopyButton, Group, Stack } from '@mantine/core'
import { IconCheck, IconCopy, IconEyeOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'

interface ShownOnceProps {
  /** What it is, in lower case: `token`. */
  readonly noun: string
  readonly secret: string
  /** How it is used. */
  readonly children?: ReactNode
  readonly onClose: () => void
}

/** A secret of which only a hash is stored. */
export function ShownOnce({ noun, secret, children, onClose }: ShownOnceProps) {
  return (
    <Stack gap="md">
      <Alert variant="default" icon={<IconEyeOff size={18} aria-hidden />} title={`Copy the ${noun} now`}>
        Caelus stores only a hash and cannot show the {noun} again.
      </Alert>
      <Code block data-secret style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {secret}
      </Code>
      {children}
      <Group justify="flex-end" gap="xs">
        <CopyButton value={secret}>
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
