import { SimpleGrid, Stack, Text } from '@mantine/core'
import { IconGauge } from '@tabler/icons-react'
import { Age } from '../../components/feedback/Age.tsx'
import { Empty } from '../../components/feedback/Empty.tsx'
import { Facts } from '../../components/detail/Facts.tsx'
import { Loaded } from '../../components/feedback/Loaded.tsx'
import { Panel } from '../../components/detail/Panel.tsx'
import { ResourceTable } from '../../components/list/ResourceTable.tsx'
import type { ListColumn } from '../../components/list/ResourceTable.tsx'
import { StatusLabel } from '../../components/feedback/StatusLabel.tsx'
import { StepChart } from '../../components/insight/StepChart.tsx'
import type {
  EnforcementView,
  NfrHistoryView,
  NfrSeriesView,
  NfrValueView,
  RuntimeView,
} from '../../lib/api/contract.ts'
import { useResource } from '../../lib/api/queries.ts'
import { useNow } from '../../lib/now.ts'
import {
  appliedText,
  dimensionTitle,
  maybeText,
  momentsOf,
  seriesFor,
  valueText,
  verdictOn,
  wantedFacts,
} from './nfr.ts'
import { api, TOPIC } from './paths.ts'
import { modeText } from './status.ts'

/** What was asked of it, what is recommended to get there, and what was done about it. */
export function Requirements({ runtime }: { readonly runtime: RuntimeView }) {
  const history = useResource<NfrHistoryView>(TOPIC, `${api.runtime(runtime)}/nfr`)
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Panel title="What is required">
          <Facts facts={wantedFacts(runtime.spec)} />
        </Panel>
        <Panel title="What is done about it">
          <Facts
            facts={[
              ['Mode', `${runtime.enforcement.mode}: ${modeText(runtime.enforcement.mode)}`],
              ['Dimensions', runtime.enforcement.dimensions.join(', ') || 'none'],
              [
                'Last change',
                runtime.enforcement.last_applied_at === null ? (
                  'none'
                ) : (
                  <span key="last">
                    <Age since={runtime.enforcement.last_applied_at} /> ago
                  </span>
                ),
              ],
            ]}
          />
        </Panel>
      </SimpleGrid>
      {runtime.nfr.length === 0 ? (
        <Panel>
          <Empty icon={<IconGauge size={22} aria-hidden />} title="Nothing is recommended">
            Recommendations appear here when functions are measured and the mode is not off.
          </Empty>
        </Panel>
      ) : (
        <Loaded query={history}>
          {({ series }) => runtime.nfr.map((value) => <Value key={keyOf(value)} {...{ runtime, value, series }} />)}
        </Loaded>
      )}
      <Changes history={runtime.enforcement.history} />
    </Stack>
  )
}

const keyOf = ({ dimension, function_key: key }: NfrValueView): string => `${dimension}/${key}`

interface ValueProps {
  readonly runtime: RuntimeView
  readonly value: NfrValueView
  readonly series: readonly NfrSeriesView[]
}

/** One function in one dimension. */
function Value({ runtime, value, series }: ValueProps) {
  const now = useNow()
  const { unit, recommended, applied, live } = value
  const { tone, text } = verdictOn(value, runtime, now)
  const moments = momentsOf(seriesFor(value, series))
  const title = `${dimensionTitle(value.dimension)} of ${value.function_key}`
  return (
    <Panel title={title}>
      <Stack gap="sm">
        <StatusLabel tone={tone}>
          <span style={{ whiteSpace: 'normal' }}>{text}</span>
        </StatusLabel>
        {moments.length === 0 ? (
          <Facts
            facts={[
              ['Recommended', maybeText(recommended?.value ?? null, unit)],
              ['Applied', maybeText(applied, unit)],
              ['Live', maybeText(live, unit)],
            ]}
          />
        ) : (
          <StepChart
            label={title}
            lines={['Recommended', 'Applied', 'Live']}
            moments={moments}
            format={(each) => valueText(each, unit)}
            base={unit === 'bytes' ? 1024 : 10}
          />
        )}
        {recommended !== null && (
          <Text size="xs" c="dimmed">
            Recommended <Age since={recommended.at} /> ago with {Math.round(recommended.confidence * 100)} % confidence:{' '}
            {recommended.basis}
          </Text>
        )}
      </Stack>
    </Panel>
  )
}

const Changes = ({ history }: { readonly history: readonly EnforcementView[] }) => (
  <Panel title="Changes made" flush>
    {history.length === 0 ? (
      <Empty title="No recommendation was put into effect" />
    ) : (
      <ResourceTable
        label="changes made"
        rows={history}
        columns={CHANGES}
        rowKey={(row) => `${row.at} ${row.dimension} ${row.function_key} ${row.target}`}
      />
    )}
  </Panel>
)

const CHANGES: readonly ListColumn<EnforcementView>[] = [
  {
    id: 'at',
    label: 'Age',
    value: (row) => row.at,
    render: (row) => (row.at === null ? '—' : <Age since={row.at} />),
    width: 90,
  },
  { id: 'function', label: 'Function', value: (row) => row.function_key ?? row.component, width: 180 },
  { id: 'change', label: 'Set to', value: appliedText, width: 180 },
  { id: 'confidence', label: 'Confidence', value: (row) => `${Math.round(row.confidence * 100)} %`, width: 110 },
  { id: 'basis', label: 'Because', value: (row) => row.basis },
]
