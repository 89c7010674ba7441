import { Checkbox, Stack } from '@mantine/core'
import type { FieldProblems } from '../preflight/problems.ts'
import { usualWindow, zoneOf } from './window.ts'
import type { WindowDraft } from './window.ts'
import { WindowFields } from './WindowFields.tsx'

interface WindowChoiceProps {
  /** Null: Gardener chooses. */
  readonly window: WindowDraft | null
  /** By the name of the field. */
  readonly problems: FieldProblems
  readonly onChange: (window: WindowDraft | null) => void
}

/** The maintenance window, or none. */
export const WindowChoice = ({ window, problems, onChange }: WindowChoiceProps) => (
  <Stack gap="sm">
    <Checkbox
      label="Choose the maintenance window"
      description="Gardener may change the cluster by itself in this time only. Otherwise Gardener chooses it."
      checked={window !== null}
      onChange={(event) =>
        onChange(event.currentTarget.checked ? usualWindow(zoneOf(-new Date().getTimezoneOffset())) : null)
      }
    />
    {window !== null && <WindowFields window={window} problems={problems} onChange={onChange} />}
  </Stack>
)
