import { Alert, Stack, Text } from '@mantine/core'
import { Facts } from '../../../components/detail/Facts.tsx'
import type { FindingView, InspectionView } from '../../../lib/api/contract.ts'
import { problemsIn } from './grants.ts'

interface FindingsProps {
  readonly inspection: InspectionView | null
  /** What of the refused objects is going to be granted. */
  readonly granted: ReadonlySet<string>
}

/** What rendering the chart for a sample order told. */
export function Findings({ inspection, granted }: FindingsProps) {
  if (inspection === null) {
    return (
      <Text size="sm" c="dimmed">
        It was not tried: no control plane is connected.
      </Text>
    )
  }
  const { findings, objects, domain_at, record_bytes } = inspection
  const warnings = findings.filter(({ severity }) => severity === 'warning')
  return (
    <Stack gap="md">
      <Told color="red" title="Every order would fail" findings={problemsIn(inspection, granted)} />
      <Told color="yellow" title="Worth a look" findings={warnings} />
      <Facts
        facts={[
          ['Objects', objects.length === 0 ? '—' : objects.join(', ')],
          ['The domain ends up at', domain_at.length === 0 ? 'nowhere' : domain_at.join(', ')],
          ['Record of a release', record_bytes === null ? '—' : `about ${Math.ceil(record_bytes / 1024)} KiB of 1024`],
        ]}
      />
    </Stack>
  )
}

interface ToldProps {
  readonly color: string
  readonly title: string
  readonly findings: readonly FindingView[]
}

function Told({ color, title, findings }: ToldProps) {
  if (findings.length === 0) return null
  return (
    <Alert color={color} variant="light" title={title}>
      <ul style={{ margin: 0, paddingLeft: '1.2em' }}>
        {findings.map(({ code, object, message, switched_off_by, grant }) => (
          <li key={`${code} ${object} ${message}`}>
            {object !== null && <code>{object}</code>} {message}
            {switched_off_by.length > 0 && (
              <>
                . Gone with <code>{switched_off_by.join(' or ')}</code>
              </>
            )}
            {grant?.grantable === false && <>. Cannot be granted: {grant.because}</>}
          </li>
        ))}
      </ul>
    </Alert>
  )
}
