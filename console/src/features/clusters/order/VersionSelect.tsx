import { Select } from '@mantine/core'
import type { ReactNode } from 'react'
import type { LandscapeView } from '../../../lib/api/contract.ts'
import { newestFirst, versionText } from './draft.ts'

interface VersionSelectProps {
  readonly versions: LandscapeView['versions']
  /** Empty: none was chosen yet. */
  readonly value: string
  readonly description: string
  readonly error: ReactNode
  readonly onChange: (version: string) => void
}

/** A version to order; expired ones are shown, but cannot be chosen. */
export const VersionSelect = ({ versions, value, description, error, onChange }: VersionSelectProps) => (
  <Select
    label="Kubernetes version"
    description={description}
    required
    allowDeselect={false}
    data={newestFirst(versions).map((version) => ({
      value: version.version,
      label: versionText(version),
      disabled: version.classification === 'expired',
    }))}
    value={value === '' ? null : value}
    error={error}
    onChange={(chosen) => onChange(chosen ?? '')}
  />
)
