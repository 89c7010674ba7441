import { Group, Select, Text, TextInput } from '@mantine/core'
import { IconGitCommit } from '@tabler/icons-react'
import { useState } from 'react'
import { Empty } from '../../components/feedback/Empty.tsx'
import { OutcomeLabel } from '../../components/insight/DecisionExplained.tsx'
import { ExplainDrawer } from '../../components/insight/ExplainDrawer.tsx'
import { ageColumn } from '../../components/list/list-columns.tsx'
import { Page } from '../../components/page/Page.tsx'
import { ResourceList } from '../../components/list/ResourceList.tsx'
import type { ListColumn } from '../../components/list/ResourceTable.tsx'
import { useAddress } from '../../lib/address.ts'
import type { DecisionView } from '../../lib/api/contract.ts'
import { OUTCOMES } from '../../lib/tone.ts'

const COLUMNS: readonly ListColumn<DecisionView>[] = [
  { id: 'object', label: 'Object', value: (row) => `${row.kind}/${row.object_id}`, mono: true, width: '22%' },
  {
    id: 'decision',
    label: 'Decision',
    value: (row) => row.decision,
    render: (row) => (
      <Text size="sm" lineClamp={2}>
        {row.repeats === 0 ? row.decision : `${row.decision} ×${row.repeats + 1}`}
      </Text>
    ),
    width: '20%',
  },
  {
    id: 'because',
    label: 'Because',
    value: (row) => row.because,
    render: (row) => (
      <Text size="sm" lineClamp={3}>
        {row.because || '—'}
      </Text>
    ),
  },
  {
    id: 'outcome',
    label: 'Outcome',
    value: (row) => row.outcome,
    render: (row) => <OutcomeLabel outcome={row.outcome} />,
    width: 150,
  },
  { id: 'controller', label: 'Controller', value: (row) => row.controller, width: 120 },
  ageColumn((row) => row.at),
]

/** Filters of the API, which the address keeps. */
const FILTERS = ['controller', 'kind', 'object_id', 'outcome'] as const

export function DecisionsPage() {
  const [params, setParam] = useAddress()
  const open = (id: string | undefined): void => setParam('decision', id ?? '', { replace: false })
  const wanted = Object.fromEntries(FILTERS.map((name) => [name, params.get(name) || undefined]))
  const isFiltered = FILTERS.some((name) => wanted[name] !== undefined)
  return (
    <Page
      title="Decisions"
      description="What the controllers of all processes decided, from which input, and how the run ended. Decisions that changed nothing are not recorded."
    >
      <ResourceList<DecisionView>
        noun="decisions"
        topic="decisions"
        path="/decisions"
        wanted={wanted}
        columns={COLUMNS}
        rowKey={(row) => row.id}
        onOpen={(row) => open(row.id)}
        actions={
          <Group gap="xs">
            <Filter label="Controller" name="controller" value={wanted['controller']} onChange={setParam} />
            <Filter label="Kind" name="kind" value={wanted['kind']} onChange={setParam} />
            <Filter label="Object" name="object_id" value={wanted['object_id']} onChange={setParam} />
            <Select
              aria-label="Outcome"
              placeholder="Every outcome"
              clearable
              w={160}
              data={OUTCOMES}
              value={wanted['outcome'] ?? null}
              onChange={(value) => setParam('outcome', value ?? '')}
            />
          </Group>
        }
        empty={
          isFiltered ? (
            <Empty icon={<IconGitCommit size={22} aria-hidden />} title="No decision matches the filters" />
          ) : (
            <Empty icon={<IconGitCommit size={22} aria-hidden />} title="No decisions yet">
              Decisions appear here as soon as a controller changes its first object.
            </Empty>
          )
        }
      />
      <ExplainDrawer decisionId={params.get('decision') ?? undefined} onClose={() => open(undefined)} />
    </Page>
  )
}

interface FilterProps {
  readonly label: string
  readonly name: string
  readonly value: string | undefined
  readonly onChange: (name: string, value: string) => void
}

/** Applied on blur or Enter: the API compares whole values, so that a request per letter would find nothing. */
function Filter({ label, name, value = '', onChange }: FilterProps) {
  const [text, setText] = useState(value)
  const [shown, setShown] = useState(value)
  if (shown !== value) {
    setShown(value)
    setText(value)
  }
  const apply = (): void => {
    if (text.trim() !== value) onChange(name, text.trim())
  }
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      w={130}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply()
      }}
    />
  )
}
