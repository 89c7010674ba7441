import { Button } from '@mantine/core'
import { IconMail } from '@tabler/icons-react'
import { useSyncExternalStore } from 'react'
import { useLocation } from 'wouter'
import { Panel } from '../../components/detail/Panel.tsx'
import { Empty } from '../../components/feedback/Empty.tsx'
import { ProblemView } from '../../components/feedback/ProblemView.tsx'
import { Page } from '../../components/page/Page.tsx'
import type { InvitationAccept, Me, OrganizationView } from '../../lib/api/contract.ts'
import { problemOf } from '../../lib/api/problem.ts'
import { forgetInvitationToken, invitationToken, onInvitationLink } from '../../lib/invitation-token.ts'
import { pages } from './paths.ts'
import { useWrite } from './use-write.ts'

/** The page that the link of an invitation opens, also after a login. */
export function AcceptInvitation({ me }: { readonly me: Me }) {
  const token = useSyncExternalStore(onInvitationLink, invitationToken)
  const [, go] = useLocation()
  const accept = useWrite<OrganizationView, InvitationAccept>(
    (client, body) => client.post('/invitations:accept', body),
    ({ id }) => {
      go(pages.organization(id), { replace: true })
      forgetInvitationToken()
    },
  )
  return (
    <Page title="Invitation">
      {accept.error === null ? (
        <Panel>
          {token === undefined ? (
            <Empty icon={<IconMail size={22} aria-hidden />} title="The link of the invitation is incomplete">
              Open the whole link that you were given. It ends with a long token after <code>#</code>.
            </Empty>
          ) : (
            <Empty
              icon={<IconMail size={22} aria-hidden />}
              title="You are invited to an organization"
              action={
                <Button loading={accept.isPending} onClick={() => accept.mutate({ token })}>
                  Join
                </Button>
              }
            >
              You join as {me.email}.
            </Empty>
          )}
        </Panel>
      ) : (
        <ProblemView
          error={accept.error}
          retrying={accept.isPending}
          {...(problemOf(accept.error).retryable && token !== undefined && { onRetry: () => accept.mutate({ token }) })}
        />
      )}
    </Page>
  )
}
