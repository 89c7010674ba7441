import { Button, Group, Stack, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Panel } from '../../../components/detail/Panel.tsx'
import type { LandscapeView } from '../../../lib/api/contract.ts'
import { below } from '../preflight/problems.ts'
import type { FieldProblems } from '../preflight/problems.ts'
import { fieldError } from '../preflight/Supported.tsx'
import { newPool } from './draft.ts'
import type { ClusterDraft, PoolDraft } from './draft.ts'
import { OfferedSelect } from './OfferedSelect.tsx'
import { PoolFields, PoolNameHint } from './PoolFields.tsx'
import { VersionSelect } from './VersionSelect.tsx'
import { WindowChoice } from './WindowChoice.tsx'

interface OrderFormProps {
  readonly draft: ClusterDraft
  /** Undefined: not known. */
  readonly landscape: LandscapeView | undefined
  readonly problems: FieldProblems
  readonly onChange: (draft: ClusterDraft) => void
}

/** Everything that a cluster is ordered with. */
export function OrderForm({ draft, landscape, problems, onChange }: OrderFormProps) {
  const set = (change: Partial<ClusterDraft>): void => onChange({ ...draft, ...change })
  return (
    <Stack gap="md">
      <Panel title="Cluster">
        <Basics draft={draft} landscape={landscape} problems={problems} onChange={onChange} />
      </Panel>
      <Panel title="Node pools">
        <Pools
          pools={draft.node_pools}
          landscape={landscape}
          problems={problems}
          onChange={(node_pools) => set({ node_pools })}
        />
      </Panel>
      <Panel title="Maintenance">
        <WindowChoice
          window={draft.maintenance}
          problems={below(problems, 'maintenance')}
          onChange={(maintenance) => set({ maintenance })}
        />
      </Panel>
    </Stack>
  )
}

function Basics({ draft, landscape, problems, onChange }: OrderFormProps) {
  const set = (change: Partial<ClusterDraft>): void => onChange({ ...draft, ...change })
  const error = (field: 'name' | 'region' | 'kubernetes_version'): ReactNode =>
    fieldError(problems.get(field), (value) => set({ [field]: value }))
  return (
    <Stack gap="sm">
      <TextInput
        label="Name"
        description="Lower-case letters, digits and hyphens, such as prod-1. Begins with a letter, ends with a letter or digit. Unique in the organization."
        required
        maxLength={40}
        autoComplete="off"
        spellCheck={false}
        value={draft.name}
        error={error('name')}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <Group gap="sm" grow align="flex-start">
        <OfferedSelect
          label="Region"
          description="Cannot be changed later."
          required
          offered={landscape?.regions.map(({ name, allowed }) => ({
            value: name,
            label: allowed ? name : `${name}, not allowed by the limits`,
            disabled: !allowed,
          }))}
          value={draft.region}
          error={error('region')}
          onChange={(region) => set({ region })}
        />
        <VersionSelect
          versions={landscape?.versions}
          value={draft.kubernetes_version}
          description={landscape ? 'The newest supported one is preselected.' : 'Such as 1.34 or 1.34.3.'}
          error={error('kubernetes_version')}
          onChange={(version) => set({ kubernetes_version: version })}
        />
      </Group>
    </Stack>
  )
}

interface PoolsProps {
  readonly pools: readonly PoolDraft[]
  /** Undefined: not known. */
  readonly landscape: LandscapeView | undefined
  readonly problems: FieldProblems
  readonly onChange: (pools: readonly PoolDraft[]) => void
}

function Pools({ pools, landscape, problems, onChange }: PoolsProps) {
  return (
    <Stack gap="md">
      <PoolNameHint />
      <div>
        {pools.map((pool, index) => (
          <PoolFields
            key={pool.key}
            label={`node pool ${pool.name === '' ? index + 1 : pool.name}`}
            pool={pool}
            machineTypes={landscape?.machine_types}
            problems={below(problems, `node_pools/${index}`)}
            onChange={(changed) => onChange(pools.with(index, changed))}
            {...(pools.length > 1 && { onRemove: () => onChange(pools.toSpliced(index, 1)) })}
          />
        ))}
      </div>
      <Group>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...pools, newPool(landscape, pools)])}
        >
          Add node pool
        </Button>
      </Group>
    </Stack>
  )
}
