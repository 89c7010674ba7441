import { Select } from '@mantine/core'
import { IconBuilding } from '@tabler/icons-react'
import type { OrganizationView } from '../../lib/api/contract.ts'

/** No id of an organization. */
const ALL = 'all'

interface OrganizationSwitcherProps {
  readonly organizations: readonly OrganizationView[]
  /** Whether these are all that the caller sees. */
  readonly isComplete: boolean
  /** Empty: all of them. */
  readonly value: string
  readonly onChange: (id: string) => void
  /** @default true */
  readonly withAll?: boolean
}

/** Whose objects a page shows or creates. */
export function OrganizationSwitcher({
  organizations,
  isComplete,
  value,
  onChange,
  withAll = true,
}: OrganizationSwitcherProps) {
  return (
    <Select
      aria-label="Organization"
      placeholder="Choose an organization"
      {...(!isComplete && { description: 'There are more organizations than are listed here.' })}
      leftSection={<IconBuilding size={16} aria-hidden />}
      searchable
      allowDeselect={false}
      nothingFoundMessage="No organization of this name"
      w={260}
      data={[
        ...(withAll ? [{ value: ALL, label: 'All organizations' }] : []),
        ...organizations.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      value={value === '' ? (withAll ? ALL : null) : value}
      onChange={(chosen) => onChange(chosen === null || chosen === ALL ? '' : chosen)}
    />
  )
}
