import { Button, Group, MultiSelect, NumberInput, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { ProblemView } from '../../../components/feedback/ProblemView.tsx'
import type { OrganizationLimitsPut, OrganizationLimitsView } from '../../../lib/api/contract.ts'
import { LandscapeProblem } from '../LandscapeProblem.tsx'
import { machineText } from '../order/draft.ts'
import { api } from '../paths.ts'
import { refusedFields } from '../preflight/problems.ts'
import { useLandscape } from '../use-landscape.ts'
import { useWrite } from '../use-write.ts'
import { choices, draftOfLimits, limitsOf } from './limits.ts'

interface LimitsFormProps {
  readonly organizationId: string
  readonly limits: OrganizationLimitsView
}

/** For admins. What is empty is not limited. */
export function LimitsForm({ organizationId, limits }: LimitsFormProps) {
  const landscape = useLandscape('')
  const saved = draftOfLimits(limits)
  const [draft, setDraft] = useState(saved)
  const set = (change: Partial<typeof draft>): void => setDraft({ ...draft, ...change })
  const save = useWrite<OrganizationLimitsView, OrganizationLimitsPut>(
    (client, body, idempotencyKey) =>
      client.put(api.limits(organizationId), body, { idempotencyKey, ifMatch: `"${limits.generation}"` }),
    () => notifications.show({ message: 'The limits are saved' }),
  )
  const refused = refusedFields(save.error)
  const error = (field: keyof OrganizationLimitsPut): string | undefined => refused.get(field)?.message
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate(limitsOf(draft))
      }}
    >
      <Stack gap="sm">
        <NumberInput
          label="Most clusters"
          placeholder="no limit"
          min={0}
          allowDecimal={false}
          allowNegative={false}
          value={draft.max_clusters}
          error={error('max_clusters')}
          onChange={(value) => set({ max_clusters: value })}
        />
        <NumberInput
          label="Most nodes"
          placeholder="no limit"
          min={0}
          allowDecimal={false}
          allowNegative={false}
          value={draft.max_nodes}
          error={error('max_nodes')}
          onChange={(value) => set({ max_nodes: value })}
        />
        <MultiSelect
          label="Regions"
          placeholder={draft.regions.length === 0 ? 'all that Gardener offers' : ''}
          searchable
          clearable
          data={choices(landscape.data?.regions, [...saved.regions, ...draft.regions], ({ name }) => name)}
          value={[...draft.regions]}
          error={error('regions')}
          onChange={(regions) => set({ regions })}
        />
        <MultiSelect
          label="Machine types"
          placeholder={draft.machine_types.length === 0 ? 'all that Gardener offers' : ''}
          searchable
          clearable
          data={choices(landscape.data?.machine_types, [...saved.machine_types, ...draft.machine_types], machineText)}
          value={[...draft.machine_types]}
          error={error('machine_types')}
          onChange={(machine_types) => set({ machine_types })}
        />
        <LandscapeProblem query={landscape} />
        {save.error !== null && <ProblemView compact error={save.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            Save limits
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
