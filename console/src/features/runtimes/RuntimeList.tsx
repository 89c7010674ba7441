import { Autocomplete, Button, Group, Select, Text } from '@mantine/core'
import { IconBox, IconPackageImport, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Empty } from '../../components/feedback/Empty.tsx'
import { ageColumn } from '../../components/list/list-columns.tsx'
import { ResourceList } from '../../components/list/ResourceList.tsx'
import type { ListColumn } from '../../components/list/ResourceTable.tsx'
import { StatusLabel } from '../../components/feedback/StatusLabel.tsx'
import { useAddress } from '../../lib/address.ts'
import type { Page, RuntimeSummary } from '../../lib/api/contract.ts'
import { useResource } from '../../lib/api/queries.ts'
import { api, pages, TOPIC } from './paths.ts'
import { functionsText, headline, phaseChoices } from './status.ts'

/** All runtimes of the control plane. Namespace and phase are asked of the API and stand in the address. */
export function RuntimeList({ isAdmin }: { readonly isAdmin: boolean }) {
  const [, go] = useLocation()
  const [params, set] = useAddress()
  const namespace = params.get('namespace') ?? ''
  const phase = phaseChoices.find(({ value }) => value === params.get('phase'))
  return (
    <ResourceList<RuntimeSummary>
      noun="runtimes"
      topic={TOPIC}
      path={api.runtimes}
      wanted={{ namespace: namespace === '' ? undefined : namespace, phase: phase?.value }}
      columns={COLUMNS}
      rowKey={(row) => row.id}
      onOpen={(row) => go(pages.runtime(row))}
      actions={
        <>
          <NamespaceFilter key={namespace} value={namespace} onChange={(value) => set('namespace', value)} />
          <Select
            aria-label="Phase"
            placeholder="Every phase"
            clearable
            w={150}
            data={phaseChoices}
            value={phase?.value ?? null}
            onChange={(value) => set('phase', value ?? '')}
          />
          {isAdmin ? (
            <Makers />
          ) : (
            <Text size="sm" c="dimmed">
              Only admins change runtimes.
            </Text>
          )}
        </>
      }
      empty={
        namespace === '' && phase === undefined ? (
          <Empty
            icon={<IconBox size={22} aria-hidden />}
            title="There are no runtimes"
            {...(isAdmin && { action: <Makers /> })}
          >
            A runtime is a ClassRuntime of the control plane: made here, from a package, or with kubectl.
          </Empty>
        ) : (
          <Empty icon={<IconBox size={22} aria-hidden />} title={noneText(namespace, phase?.label)} />
        )
      }
    />
  )
}

const noneText = (namespace: string, phase: string | undefined): string =>
  ['No runtime', namespace === '' ? '' : `in ${namespace}`, phase === undefined ? '' : `is ${phase.toLowerCase()}`]
    .filter(Boolean)
    .join(' ')
    .replace(/ in (\S+)$/, ' is in $1')

const Makers = () => (
  <Group gap="xs">
    <Button
      component={Link}
      href={pages.package}
      variant="default"
      leftSection={<IconPackageImport size={16} aria-hidden />}
    >
      Apply a package
    </Button>
    <Button component={Link} href={pages.create} leftSection={<IconPlus size={16} aria-hidden />}>
      New runtime
    </Button>
  </Group>
)

interface NamespaceFilterProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Proposes those of the first runtimes; any other can be typed. */
function NamespaceFilter({ value, onChange }: NamespaceFilterProps) {
  const some = useResource<Page<RuntimeSummary>>(TOPIC, `${api.runtimes}?limit=200`)
  const [typed, setTyped] = useState(value)
  return (
    <Autocomplete
      aria-label="Namespace"
      placeholder="Every namespace"
      clearable
      w={170}
      data={[...new Set(some.data?.items.map((one) => one.namespace))]}
      value={typed}
      onChange={setTyped}
      onOptionSubmit={onChange}
      onClear={() => onChange('')}
      onBlur={() => onChange(typed.trim())}
      onKeyDown={(event) => event.key === 'Enter' && onChange(typed.trim())}
    />
  )
}

export function PhaseLabel({
  runtime,
  isBare = false,
}: {
  readonly runtime: RuntimeSummary
  readonly isBare?: boolean
}) {
  const { tone, word, why } = headline(runtime)
  const { phase_since: since } = runtime
  return (
    <StatusLabel tone={tone} {...(!isBare && why !== '' && { why })} {...(since !== null && { since })}>
      {word}
    </StatusLabel>
  )
}

const COLUMNS: readonly ListColumn<RuntimeSummary>[] = [
  {
    id: 'name',
    label: 'Runtime',
    value: (row) => `${row.name} ${row.package_class_key ?? ''}`,
    render: (row) => (
      <>
        {row.name}
        {row.package_class_key !== null && (
          <Text span display="block" size="xs" c="dimmed">
            {row.package_class_key}
          </Text>
        )}
      </>
    ),
  },
  { id: 'namespace', label: 'Namespace', value: (row) => row.namespace, width: 130 },
  {
    id: 'phase',
    label: 'Phase',
    value: (row) => headline(row).word,
    render: (row) => <PhaseLabel runtime={row} isBare />,
    width: 160,
  },
  { id: 'functions', label: 'Ready', value: functionsText, width: 80 },
  { id: 'template', label: 'Template', value: (row) => row.template, width: 135 },
  ageColumn((row) => row.created_at),
  {
    id: 'message',
    label: 'Message',
    value: (row) => row.message,
    render: (row) => (
      <Text size="xs" lineClamp={3} title={row.message}>
        {row.message}
      </Text>
    ),
    width: '24%',
  },
]
