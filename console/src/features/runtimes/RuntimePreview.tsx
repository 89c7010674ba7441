import { Code, Stack, Text } from '@mantine/core'
import { PreviewDiff } from '../../components/insight/PreviewDiff.tsx'
import type { RuntimePreviewView } from '../../lib/api/contract.ts'
import { templateText } from './preview.ts'

/** Which children would change and how, or why it could not run as it is written. */
export function RuntimePreview({ preview }: { readonly preview: RuntimePreviewView }) {
  const { change, objects, problems, template } = preview
  if (problems.length > 0) {
    return (
      <Stack gap={4} role="alert">
        <Text size="sm" fw={600} c="var(--tone-bad)">
          The controller could not run it as it is written
        </Text>
        <Text component="ul" size="sm" m={0} pl="1.2em">
          {problems.map(({ field, message }) => (
            <li key={`${field} ${message}`}>
              <Code>{field}</Code> {message}
            </li>
          ))}
        </Text>
      </Stack>
    )
  }
  const chosen = templateText(template)
  return (
    <Stack gap="xs">
      {chosen !== undefined && <Text size="sm">{chosen}</Text>}
      {objects.length === 0 && change !== 'unchanged' ? (
        <Text size="sm" fw={600} role="status">
          The runtime is {change}, and no object of the control plane is
        </Text>
      ) : (
        <PreviewDiff preview={preview} />
      )}
    </Stack>
  )
}
