import type { ReactNode } from 'react'
import type { LandscapeView } from '../../../lib/api/contract.ts'
import { newestFirst, versionText } from './draft.ts'
import { OfferedSelect } from './OfferedSelect.tsx'

interface VersionSelectProps {
  /** Undefined: not known. */
  readonly versions: LandscapeView['versions'] | undefined
  /** Empty: none was chosen yet. */
  readonly value: string
  readonly description: string
  readonly error: ReactNode
  readonly onChange: (version: string) => void
}

/** A version to order; expired ones are shown, but cannot be chosen. */
export const VersionSelect = ({ versions, ...field }: VersionSelectProps) => (
  <OfferedSelect
    label="Kubernetes version"
    required
    offered={versions && choicesOf(versions, field.value)}
    {...field}
  />
)

const choicesOf = (versions: LandscapeView['versions'], value: string) => [
  ...newestFirst(versions).map((version) => ({
    value: version.version,
    label: versionText(version),
    disabled: version.classification === 'expired',
  })),
  // Typed while it was not known which versions there are.
  ...(versions.some(({ version }) => version.startsWith(`${value}.`))
    ? [{ value, label: `${value}, newest patch` }]
    : []),
]
