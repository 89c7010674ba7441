import { Checkbox, Group, Select, Stack, TextInput } from '@mantine/core'
import type { FieldProblems } from '../preflight/problems.ts'
import type { WindowDraft } from './window.ts'
import { zoneChoices } from './window.ts'

interface WindowFieldsProps {
  readonly window: WindowDraft
  /** By the name of the field. */
  readonly problems: FieldProblems
  readonly onChange: (window: WindowDraft) => void
}

/** When Gardener may change the cluster by itself, and what. */
export function WindowFields({ window, problems, onChange }: WindowFieldsProps) {
  const set = (change: Partial<WindowDraft>): void => onChange({ ...window, ...change })
  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-start">
        <TextInput
          label="Begins"
          type="time"
          w={130}
          value={window.begin}
          error={problems.get('begin')?.message}
          onChange={(event) => set({ begin: event.currentTarget.value })}
        />
        <TextInput
          label="Ends"
          type="time"
          w={130}
          value={window.end}
          error={problems.get('end')?.message}
          onChange={(event) => set({ end: event.currentTarget.value })}
        />
        <Select
          label="Time zone"
          w={150}
          searchable
          allowDeselect={false}
          data={[...zoneChoices(window.zone)]}
          value={window.zone}
          onChange={(zone) => zone !== null && set({ zone })}
        />
      </Group>
      <Checkbox
        label="Install patch versions of Kubernetes"
        checked={window.update_kubernetes}
        onChange={(event) => set({ update_kubernetes: event.currentTarget.checked })}
      />
      <Checkbox
        label="Replace the machine image of the nodes"
        checked={window.update_machine_image}
        onChange={(event) => set({ update_machine_image: event.currentTarget.checked })}
      />
    </Stack>
  )
}
