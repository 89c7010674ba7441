import { Button, Code, Group, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react'
import { problemOf, actionRequired } from '../../lib/api/problem.ts'
import classes from './ProblemView.module.css'

interface ProblemViewProps {
  readonly error: unknown
  /** Absent: there is nothing to try again. */
  readonly onRetry?: () => void
  readonly retrying?: boolean
  /** @default 'Try again' */
  readonly retryLabel?: string
  /** One line and the next step, for use beside other content. */
  readonly compact?: boolean
}

/** A failure as the reader needs it: what, whose move, the next step, and the id to quote. */
export function ProblemView({
  error,
  onRetry,
  retrying = false,
  retryLabel = 'Try again',
  compact = false,
}: ProblemViewProps) {
  const problem = problemOf(error)
  return (
    <section className={classes.box} role="alert" data-compact={compact || undefined}>
      <IconAlertTriangle size={compact ? 18 : 22} className={classes.icon} aria-hidden />
      <Stack gap={compact ? 4 : 'xs'} className={classes.text}>
        <Title order={2} size={compact ? 'h5' : 'h4'}>
          {problem.title}
        </Title>
        <Text size="sm">{problem.detail}</Text>
        {problem.errors && problem.errors.length > 0 && (
          <ul className={classes.fields}>
            {problem.errors.map(({ field, message }) => (
              <li key={`${field} ${message}`}>
                <Code>{field}</Code> {message}
              </li>
            ))}
          </ul>
        )}
        <Text size="sm">
          <b>{actionRequired(problem.whose_move)}.</b> {problem.next_step}
        </Text>
        <Group gap="md" className={classes.facts}>
          <span>
            code <Code>{problem.code}</Code>
          </span>
          {problem.status > 0 && (
            <span>
              status <Code>{problem.status}</Code>
            </span>
          )}
          {problem.request_id !== '' && (
            <span>
              request <Code>{problem.request_id}</Code>
            </span>
          )}
        </Group>
        {onRetry && (
          <Group mt={4}>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconRefresh size={14} aria-hidden />}
              loading={retrying}
              onClick={onRetry}
            >
              {retryLabel}
            </Button>
          </Group>
        )}
      </Stack>
    </section>
  )
}
