import { Button, Stack } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import { DeleteButton } from '../../components/delete/DeleteButton.tsx'
import { DetailPage } from '../../components/detail/DetailPage.tsx'
import { SectionLinks } from '../../components/detail/SectionLinks.tsx'
import type { Me, OrganizationView } from '../../lib/api/contract.ts'
import { useResource } from '../../lib/api/queries.ts'
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
            {mayChange && (
              <SectionLinks
                label="Organization"
                sections={[
                  [pages.organization(id), 'Members'],
                  [pages.invitations(id), 'Invitations'],
                ]}
              />
            )}
            {mayChange && section === 'invitations' ? (
              <Invitations organization={organization} />
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
