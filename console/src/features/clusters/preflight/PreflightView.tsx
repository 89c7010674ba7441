import { Code, Stack, Text } from '@mantine/core'
import { FieldChanges } from '../../../components/insight/PreviewDiff.tsx'
import { ProblemView } from '../../../components/feedback/ProblemView.tsx'
import type { ClusterPreviewView } from '../../../lib/api/contract.ts'
import { actionRequired } from '../../../lib/api/problem.ts'
import { sentence } from '../../../lib/sentence.ts'
import { LimitBar } from './LimitBar.tsx'
import { PoolEffects } from './PoolEffects.tsx'
import classes from './Preflight.module.css'
import type { Preflight } from './use-preflight.ts'
import { refusedFields } from './problems.ts'

interface PreflightViewProps {
  readonly preflight: Preflight
  /** Said while there is nothing to ask yet. */
  readonly waiting?: string
}

/** What saving would do: problems, limits, machines, and the fields of the Shoot. */
export function PreflightView({ preflight, waiting = '' }: PreflightViewProps) {
  const { preview, error, isChecking, again } = preflight
  return (
    <Stack gap="md">
      <Text size="sm" fw={600} role="status" {...(preflight.isRefused && { c: 'var(--tone-bad)' })}>
        {headlineOf(preflight, waiting)}
      </Text>
      {error !== null && refusedFields(error).size === 0 && (
        <ProblemView compact error={error} onRetry={again} retrying={isChecking} />
      )}
      {preview && <Effects preview={preview} />}
    </Stack>
  )
}

function headlineOf({ preview, error, isChecking, isRefused }: Preflight, waiting: string): string {
  if (isChecking) return 'Checking with Gardener…'
  if (isRefused) return 'This would be refused'
  if (error !== null) return 'The check failed'
  if (preview === undefined) return waiting
  return preview.not_consulted.length > 0
    ? 'Caelus accepts this; not everything could be checked'
    : 'Gardener accepts this'
}

function Effects({ preview }: { readonly preview: ClusterPreviewView }) {
  const { problems, limits, node_pools: pools, fields, not_consulted: unasked } = preview
  return (
    <>
      {problems.length > 0 && (
        <ul className={classes.problems}>
          {problems.map(({ field, message, failure }) => (
            <li key={`${field} ${message}`}>
              {field !== null && <Code>{field}</Code>} {sentence(message)} <b>{actionRequired(failure.whose_move)}.</b>{' '}
              {failure.next_step}
            </li>
          ))}
        </ul>
      )}
      <div className={classes.limits}>
        <LimitBar noun="clusters" {...limits.clusters} />
        <LimitBar noun="nodes" {...limits.nodes} />
      </div>
      {pools.length > 0 && <PoolEffects pools={pools} />}
      {fields.length > 0 && (
        <details className={classes.fields}>
          <summary>
            {fields.length === 1 ? '1 field of the Shoot changes' : `${fields.length} fields of the Shoot change`}
          </summary>
          <FieldChanges changes={fields} />
        </details>
      )}
      {unasked.map((line) => (
        <Text key={line} size="xs" c="dimmed">
          {sentence(line)}
        </Text>
      ))}
    </>
  )
}
