import { Button } from '@mantine/core'
import { IconBuilding, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { Empty } from '../../components/feedback/Empty.tsx'
import { ageColumn } from '../../components/list/list-columns.tsx'
import { ResourceList } from '../../components/list/ResourceList.tsx'
import type { ListColumn } from '../../components/list/ResourceTable.tsx'
import { Page } from '../../components/page/Page.tsx'
import type { OrganizationView } from '../../lib/api/contract.ts'
import { OrganizationEditor } from './OrganizationEditor.tsx'
import { pages, TOPIC } from './paths.ts'
import { RoleBadge } from './RoleBadge.tsx'

const COLUMNS: readonly ListColumn<OrganizationView>[] = [
  { id: 'name', label: 'Name', value: (row) => row.name },
  {
    id: 'role',
    label: 'Your role',
    value: (row) => row.role,
    render: (row) => (row.role === null ? '—' : <RoleBadge role={row.role} />),
    width: 130,
  },
  { id: 'members', label: 'Members', value: (row) => row.members, width: 110 },
  ageColumn((row) => row.created_at),
]

export function Organizations({ isAdmin }: { readonly isAdmin: boolean }) {
  const [creating, setCreating] = useState(false)
  const [, go] = useLocation()
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      New organization
    </Button>
  )
  return (
    <Page title="Organizations" description="Several users who own objects together." actions={create}>
      <ResourceList<OrganizationView>
        noun="organizations"
        topic={TOPIC}
        path="/organizations"
        columns={COLUMNS}
        rowKey={(row) => row.id}
        onOpen={(row) => go(pages.organization(row.id))}
        empty={
          <Empty
            icon={<IconBuilding size={22} aria-hidden />}
            title={isAdmin ? 'There are no organizations' : 'You belong to no organization'}
          >
            Create one and invite others, or open the link of an invitation.
          </Empty>
        }
      />
      {creating && (
        <OrganizationEditor onClose={() => setCreating(false)} onSaved={({ id }) => go(pages.organization(id))} />
      )}
    </Page>
  )
}
