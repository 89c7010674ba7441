import { Button } from '@mantine/core'
import { IconBuilding, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { Panel } from '../../components/detail/Panel.tsx'
import { Empty } from '../../components/feedback/Empty.tsx'
import { OrganizationEditor } from '../identity/OrganizationEditor.tsx'

interface NoOrganizationProps {
  readonly isAdmin: boolean
  readonly onCreated: (id: string) => void
}

/** Clusters belong to organizations; without one there is nothing to order for. */
export function NoOrganization({ isAdmin, onCreated }: NoOrganizationProps) {
  const [creating, setCreating] = useState(false)
  return (
    <Panel>
      <Empty
        icon={<IconBuilding size={22} aria-hidden />}
        title={isAdmin ? 'There are no organizations' : 'You belong to no organization'}
        action={
          <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            New organization
          </Button>
        }
      >
        Clusters belong to organizations. Create one and invite others, or open the link of an invitation.
      </Empty>
      {creating && <OrganizationEditor onClose={() => setCreating(false)} onSaved={({ id }) => onCreated(id)} />}
    </Panel>
  )
}
