import { Button, Group } from '@mantine/core'
import { IconMail } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { Panel } from '../../components/detail/Panel.tsx'
import { Empty } from '../../components/feedback/Empty.tsx'
import { ProblemView } from '../../components/feedback/ProblemView.tsx'
import { Page } from '../../components/page/Page.tsx'
import type { InvitationAccept, OrganizationView } from '../../lib/api/contract.ts'
import { pages } from './paths.ts'
import { useWrite } from './use-write.ts'

/** The page that the link of an invitation opens. The token is in the fragment, which a login does not keep. */
export function AcceptInvitation() {
  const [token] = useState(() => window.location.hash.slice(1))
  const [, go] = useLocation()
  const accept = useWrite<OrganizationView, InvitationAccept>(
    (client, body) => client.post('/invitations:accept', body),
    ({ id }) => go(pages.organization(id), { replace: true }),
  )
  return (
    <Page title="Invitation">
      <Panel>
        {token === '' ? (
          <Empty icon={<IconMail size={22} aria-hidden />} title="Open the link of the invitation again">
            You are signed in now. An invitation to the email of your login was accepted already.
          </Empty>
        ) : (
          <Empty
            icon={<IconMail size={22} aria-hidden />}
            title="You are invited to an organization"
            action={
              <Group gap="xs">
                <Button loading={accept.isPending} onClick={() => accept.mutate({ token })}>
                  Join
                </Button>
              </Group>
            }
          />
        )}
      </Panel>
      {accept.error !== null && <ProblemView error={accept.error} />}
    </Page>
  )
}
