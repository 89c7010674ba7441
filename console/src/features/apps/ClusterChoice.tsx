import { Select } from '@mantine/core'
import type { ClusterView, Page } from '../../lib/api/contract.ts'
import { useResource } from '../../lib/api/queries.ts'

interface ClusterChoiceProps {
  /** Null: on the platform itself. */
  readonly value: string | null
  readonly onChange: (clusterId: string | null) => void
}

const PLATFORM = 'platform'

/** Where an app is to run. Whoever has no clusters is not asked. */
export function ClusterChoice({ value, onChange }: ClusterChoiceProps) {
  const { data } = useResource<Page<ClusterView>>('clusters', '/clusters?limit=100')
  const clusters = (data?.items ?? []).filter(({ deleting_since }) => deleting_since === null)
  if (clusters.length === 0) return null
  return (
    <Select
      label="Where"
      description="On the platform, or in a cluster of your organization. It cannot be moved later."
      data={[
        { value: PLATFORM, label: 'On the platform' },
        ...clusters.map(({ id, name, organization }) => ({ value: id, label: `${name} of ${organization}` })),
      ]}
      allowDeselect={false}
      value={value ?? PLATFORM}
      onChange={(chosen) => onChange(chosen === PLATFORM ? null : chosen)}
    />
  )
}
