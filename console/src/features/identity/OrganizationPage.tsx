import { Button, Stack } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import { DeleteButton } from '../../components/delete/DeleteButton.tsx'
import { DetailPage } from '../../components/detail/DetailPage.tsx'
import { SectionLinks } from '../../components/detail/SectionLinks.tsx'
import type { Me, OrganizationView } from '../../lib/api/contract.ts'
import { useResource, useStatus } from '../../lib/api/queries.ts'
import { OrganizationLimits } from '../clusters/limits/OrganizationLimits.tsx'
import { DeleteOrganization } from './DeleteOrganization.tsx'
import { Invitations } from './Invitations.tsx'
import { Members } from './Members.tsx'
import { OrganizationEditor } from './OrganizationEditor.tsx'
import { api, pages, TOPIC } from './paths.ts'
import { RoleBadge } from './RoleBadge.tsx'

interface OrganizationPageProps {
  readonly id: string
  readonly me: Me
  readonly section: string | undefined
}

export function OrganizationPage({ id, me, section }: OrganizationPageProps) {
  const query = useResource<OrganizationView>(TOPIC, api.organization(id))
  const [dialog, setDialog] = useState<'rename' | 'delete'>()
  const close = (): void => setDialog(undefined)
  const mayChange = me.role === 'admin' || query.data?.role === 'owner'
  const status = useStatus()
  const hasClusters = status.data?.domains.some(({ name, enabled }) => name === 'clusters' && enabled) ?? false
  const sections: readonly (readonly [string, string])[] = [
    [pages.organization(id), 'Members'],
    ...(mayChange ? [[pages.invitations(id), 'Invitations'] as const] : []),
    ...(hasClusters ? [[pages.limits(id), 'Limits'] as const] : []),
  ]
  return (
    <>
      <DetailPage
        list={{ label: 'Organizations', href: pages.organizations }}
        kind="organization"
        name={query.data?.name ?? id}
        query={query}
        renderStatus={({ role }) => role !== null && <RoleBadge role={role} />}
        renderActions={() =>
          mayChange && (
            <>
              <Button
                variant="default"
                leftSection={<IconPencil size={16} aria-hidden />}
                onClick={() => setDialog('rename')}
              >
                Rename
              </Button>
              <DeleteButton onClick={() => setDialog('delete')} />
            </>
          )
        }
      >
        {(organization) => (
          <Stack gap="md">
            {sections.length > 1 && <SectionLinks label="Organization" sections={sections} />}
            {mayChange && section === 'invitations' ? (
              <Invitations organization={organization} />
            ) : hasClusters && section === 'limits' ? (
              <OrganizationLimits organizationId={id} isAdmin={me.role === 'admin'} />
            ) : (
              <Members organization={organization} me={me} mayChange={mayChange} />
            )}
          </Stack>
        )}
      </DetailPage>
      {dialog === 'rename' && query.data && (
        <OrganizationEditor organization={query.data} onClose={close} onSaved={close} />
      )}
      {dialog === 'delete' && query.data && <DeleteOrganization organization={query.data} onClose={close} />}
    </>
  )
}
