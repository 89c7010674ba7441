import { Anchor, Button, Code } from '@mantine/core'
import { IconAdjustments, IconExternalLink, IconVersions } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import { Age } from '../../components/feedback/Age.tsx'
import { Column, Columns } from '../../components/page/Columns.tsx'
import { DeleteButton } from '../../components/delete/DeleteButton.tsx'
import { DetailPage } from '../../components/detail/DetailPage.tsx'
import { Explanation } from '../../components/insight/Explanation.tsx'
import { RecordedFailure } from '../../components/feedback/RecordedFailure.tsx'
import { Facts } from '../../components/detail/Facts.tsx'
import { Panel } from '../../components/detail/Panel.tsx'
import type { DeploymentView, ExplanationView, ResourcesView } from '../../lib/api/contract.ts'
import { useResource } from '../../lib/api/queries.ts'
import { Deletion } from './Deletion.tsx'
import { DeleteDeployment } from './DeleteDeployment.tsx'
import { DeploymentStatusLabel } from './Deployments.tsx'
import { ObjectTimeline } from '../../components/insight/ObjectTimeline.tsx'
import { api, download, pages, TOPIC } from './paths.ts'
import { History } from './History.tsx'
import { Notes } from './Notes.tsx'
import { ProductIcon } from './ProductIcon.tsx'
import { Resources } from './Resources.tsx'
import { RunActions } from './RunActions.tsx'
import { templateName } from './template-name.ts'
import { UpgradeDeployment } from './UpgradeDeployment.tsx'
import { WrittenValues } from './WrittenValues.tsx'

interface DeploymentPageProps {
  readonly deployment: Pick<DeploymentView, 'id' | 'user_id'>
  readonly isAdmin: boolean
  readonly isOwn: boolean
}

export function DeploymentPage({ deployment: ref, isAdmin, isOwn }: DeploymentPageProps) {
  const query = useResource<DeploymentView>(TOPIC, api.deployment(ref))
  const [dialog, setDialog] = useState<'delete' | 'upgrade'>()
  return (
    <>
      <DetailPage
        list={isOwn ? { label: 'My apps', href: pages.mine } : { label: 'All apps', href: pages.all }}
        kind="app"
        name={query.data?.domainname ?? ref.id}
        query={query}
        renderStatus={(deployment) => <DeploymentStatusLabel deployment={deployment} />}
        renderActions={(deployment) =>
          deployment.deleted_at === null && (
            <>
              <Button
                component={Link}
                href={pages.edit(deployment)}
                leftSection={<IconAdjustments size={16} aria-hidden />}
              >
                Change
              </Button>
              <RunActions deployment={deployment} isAdmin={isAdmin} />
              {isAdmin && (
                <Button
                  variant={deployment.upgrade_available === null ? 'default' : 'light'}
                  leftSection={<IconVersions size={16} aria-hidden />}
                  onClick={() => setDialog('upgrade')}
                >
                  Upgrade
                </Button>
              )}
              <DeleteButton onClick={() => setDialog('delete')} />
            </>
          )
        }
      >
        {(deployment) => <Parts deployment={deployment} />}
      </DetailPage>
      {dialog === 'delete' && query.data && (
        <DeleteDeployment deployment={query.data} onClose={() => setDialog(undefined)} />
      )}
      {dialog === 'upgrade' && query.data && (
        <UpgradeDeployment deployment={query.data} onClose={() => setDialog(undefined)} />
      )}
    </>
  )
}

/** What was changed by hand and cannot be changed back. */
function Unrepairable({ deployment }: { readonly deployment: DeploymentView }) {
  if (deployment.unrepairable.length === 0) return null
  return (
    <Panel title="Cannot be changed back">
      <Facts
        facts={deployment.unrepairable.map(({ object, field, because }) => [
          field === null ? object : `${object} ${field}`,
          because,
        ])}
      />
    </Panel>
  )
}

function Parts({ deployment }: { readonly deployment: DeploymentView }) {
  const path = api.deployment(deployment)
  const isGone = deployment.status === 'deleted'
  const explanation = useResource<ExplanationView>(TOPIC, `${path}/explain`, { enabled: !isGone })
  const resources = useResource<ResourcesView>(TOPIC, `${path}/resources`, { enabled: !isGone })
  const isEmptied = deployment.deleted_at !== null && resources.data?.items.length === 0
  return (
    <Columns>
      <Column>
        {deployment.last_error && <RecordedFailure failure={deployment.last_error} />}
        <Unrepairable deployment={deployment} />
        <Deletion
          deployment={deployment}
          left={resources.data?.items.length}
          blockers={explanation.data?.blockers ?? []}
        />
        {!isGone && <Explanation query={explanation} />}
        {!isGone && !isEmptied && <Resources query={resources} />}
        <ObjectTimeline topic={TOPIC} path={`${path}/timeline`} />
      </Column>
      <Column>
        <DeploymentFacts deployment={deployment} />
        <WrittenValues deployment={deployment} />
        {!isGone && <Notes deployment={deployment} />}
        <History deployment={deployment} />
      </Column>
    </Columns>
  )
}

/** How the rollout of the last change stands, while it does. */
function rolloutFacts(deployment: DeploymentView): [string, ReactNode][] {
  const { failed_tries: tries, healthy_by: deadline } = deployment
  return [
    ...(tries > 0 ? [['Failed tries', String(tries)] as [string, ReactNode]] : []),
    ...(deadline !== null ? [['Healthy by', new Date(deadline).toLocaleTimeString()] as [string, ReactNode]] : []),
  ]
}

const versionText = ({ chart_version: version, upgrade_available: offered }: DeploymentView): string =>
  offered === null ? `chart ${version}` : `chart ${version}; ${templateName(offered)} is available`

/** Only those who see the cluster have a name for it. */
const placeFacts = ({ cluster_id: id, cluster_name: name }: DeploymentView): [string, ReactNode][] =>
  id === null ? [] : [['Cluster', name ?? <Code key="cluster">{id}</Code>]]

const downloads = (deployment: DeploymentView): [string, ReactNode] => [
  'Download',
  <span key="downloads">
    <Anchor href={download(deployment, 'manifest')} download size="sm">
      manifest
    </Anchor>
    {', '}
    <Anchor href={download(deployment, 'values')} download size="sm">
      values
    </Anchor>
  </span>,
]

function DeploymentFacts({ deployment }: { readonly deployment: DeploymentView }) {
  const { product, generation, observed_generation: seen } = deployment
  return (
    <Panel title="Facts">
      <Facts
        facts={[
          [
            'Product',
            <Anchor key="product" component={Link} href={pages.product(product.id)} size="sm">
              <span style={{ display: 'inline-flex', gap: 8, alignItems: 'center' }}>
                <ProductIcon name={product.name} icon={product.icon} size={20} />
                {product.name}
              </span>
            </Anchor>,
          ],
          [
            'Address',
            <Anchor key="address" href={`http://${deployment.domainname}`} target="_blank" rel="noreferrer" size="sm">
              {deployment.domainname} <IconExternalLink size={13} aria-hidden />
            </Anchor>,
          ],
          ['Version', versionText(deployment)],
          ['Tenant', deployment.user_email],
          ...placeFacts(deployment),
          ['Namespace', <Code key="namespace">{deployment.namespace_name}</Code>],
          ...(deployment.applied_template_id === null ? [] : [downloads(deployment)]),
          ['Change', seen === generation ? `${generation}, applied` : `${generation}; applied is ${seen}`],
          ...rolloutFacts(deployment),
          [
            'Ordered',
            <span key="ordered">
              <Age since={deployment.created_at} /> ago
            </span>,
          ],
          [
            'Last looked at',
            deployment.last_reconcile_at === null ? (
              'never'
            ) : (
              <span key="looked">
                <Age since={deployment.last_reconcile_at} /> ago
              </span>
            ),
          ],
        ]}
      />
    </Panel>
  )
}
