import { ActionIcon, NumberInput, Text, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import type { LandscapeView } from '../../../lib/api/contract.ts'
import type { FieldProblems } from '../preflight/problems.ts'
import { fieldError } from '../preflight/Supported.tsx'
import { machineText } from './draft.ts'
import type { PoolDraft } from './draft.ts'
import { OfferedSelect } from './OfferedSelect.tsx'
import classes from './PoolFields.module.css'

interface PoolFieldsProps {
  readonly label: string
  readonly pool: PoolDraft
  /** Undefined: not known. */
  readonly machineTypes: LandscapeView['machine_types'] | undefined
  /** By the name of the field. */
  readonly problems: FieldProblems
  readonly onChange: (pool: PoolDraft) => void
  /** Absent: the pool cannot be removed here. */
  readonly onRemove?: () => void
  /** A pool that exists keeps its name. */
  readonly isNameFixed?: boolean
}

/** One node pool: its machines, and between how many of them Gardener scales. */
export function PoolFields(props: PoolFieldsProps) {
  const { label, pool, machineTypes, problems, onChange, onRemove, isNameFixed = false } = props
  const set = (change: Partial<PoolDraft>): void => onChange({ ...pool, ...change })
  const error = (field: keyof PoolDraft) => fieldError(problems.get(field), (value) => set({ [field]: value }))
  return (
    <fieldset className={classes.pool}>
      <legend className="visually-hidden">{label}</legend>
      <div className={classes.fields}>
        <TextInput
          label="Name"
          maxLength={15}
          disabled={isNameFixed}
          value={pool.name}
          error={error('name')}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <OfferedSelect
          label="Machine type"
          searchable
          offered={machineTypes?.map((type) => ({
            value: type.name,
            label: type.allowed ? machineText(type) : `${machineText(type)}, not allowed by the limits`,
            disabled: !type.allowed,
          }))}
          value={pool.machine_type}
          error={error('machine_type')}
          onChange={(machine_type) => set({ machine_type })}
        />
        <NumberInput
          label="Min nodes"
          min={0}
          allowDecimal={false}
          allowNegative={false}
          inputMode="numeric"
          value={pool.autoscale_min}
          error={error('autoscale_min')}
          onChange={(value) => set({ autoscale_min: value })}
        />
        <NumberInput
          label="Max nodes"
          min={1}
          allowDecimal={false}
          allowNegative={false}
          inputMode="numeric"
          value={pool.autoscale_max}
          error={error('autoscale_max')}
          onChange={(value) => set({ autoscale_max: value })}
        />
        {onRemove && (
          <ActionIcon
            className={classes.remove}
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={`Remove ${label}`}
            onClick={onRemove}
          >
            <IconTrash size={17} aria-hidden />
          </ActionIcon>
        )}
      </div>
    </fieldset>
  )
}

/** Above the fields: beside one of them it would move the others out of line. */
export const PoolNameHint = () => (
  <Text size="xs" c="dimmed">
    Names of node pools have lower-case letters, digits and hyphens, such as workers-1. They begin with a letter and end
    with a letter or digit.
  </Text>
)
