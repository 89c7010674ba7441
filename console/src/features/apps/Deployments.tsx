import { Button, Checkbox, Group, Text } from '@mantine/core'
import { IconApps } from '@tabler/icons-react'
import type { ComponentProps } from 'react'
import { Link, useLocation } from 'wouter'
import { Age } from '../../components/feedback/Age.tsx'
import { Empty } from '../../components/feedback/Empty.tsx'
import { ResourceList } from '../../components/list/ResourceList.tsx'
import type { ListColumn } from '../../components/list/ResourceTable.tsx'
import { StatusLabel } from '../../components/feedback/StatusLabel.tsx'
import type { DeploymentView } from '../../lib/api/contract.ts'
import { useAddress } from '../../lib/address.ts'
import { api, pages, TOPIC } from './paths.ts'
import { ProductIcon } from './ProductIcon.tsx'
import { headline } from './status.ts'
import { templateName } from './template-name.ts'

export function DeploymentStatusLabel({ deployment }: { readonly deployment: DeploymentView }) {
  const { tone, word, why } = headline(deployment)
  return (
    <StatusLabel tone={tone} since={deployment.status_since} {...(why !== '' && { why })}>
      {word}
    </StatusLabel>
  )
}

const COLUMNS: readonly ListColumn<DeploymentView>[] = [
  {
    id: 'domain',
    label: 'App',
    value: (row) => row.domainname,
    render: (row) => (
      <Group gap="sm" wrap="nowrap">
        <ProductIcon name={row.product.name} icon={row.product.icon} size={28} />
        <span>{row.domainname}</span>
      </Group>
    ),
  },
  {
    id: 'product',
    label: 'Product',
    value: (row) => row.product.name,
    render: (row) => (
      <>
        {row.product.name}
        {row.upgrade_available && (
          <Text size="xs" c="dimmed">
            {templateName(row.upgrade_available)} is available
          </Text>
        )}
      </>
    ),
    width: 200,
  },
  {
    id: 'status',
    label: 'Status',
    value: (row) => headline(row).word,
    render: (row) => <DeploymentStatusLabel deployment={row} />,
    width: 200,
  },
  {
    id: 'created',
    label: 'Ordered',
    value: (row) => -Date.parse(row.created_at),
    render: (row) => (
      <>
        <Age since={row.created_at} /> ago
      </>
    ),
    width: 120,
  },
]

const WITH_OWNER: readonly ListColumn<DeploymentView>[] = COLUMNS.toSpliced(1, 0, {
  id: 'owner',
  label: 'Tenant',
  value: (row) => row.user_email,
  width: 220,
})

export const MyDeployments = ({ userId }: { readonly userId: string }) => (
  <DeploymentList path={api.deployments(userId)} columns={COLUMNS} />
)

export const AllDeployments = () => {
  const [params, setParam] = useAddress()
  const isBehind = params.get('behind') === 'true'
  return (
    <DeploymentList
      path="/deployments"
      columns={WITH_OWNER}
      wanted={{ behind: isBehind ? 'true' : undefined }}
      actions={
        <Checkbox
          label="Upgrade available"
          checked={isBehind}
          onChange={(event) => setParam('behind', event.currentTarget.checked ? 'true' : '')}
        />
      }
    />
  )
}

interface DeploymentListProps extends Pick<ComponentProps<typeof ResourceList>, 'wanted' | 'actions'> {
  readonly path: string
  readonly columns: typeof COLUMNS
}

function DeploymentList({ path, columns, wanted, actions }: DeploymentListProps) {
  const [, go] = useLocation()
  return (
    <ResourceList<DeploymentView>
      noun="apps"
      topic={TOPIC}
      path={path}
      columns={columns}
      {...(wanted && { wanted })}
      {...(actions !== undefined && { actions })}
      rowKey={(row) => row.id}
      onOpen={(row) => go(pages.deployment(row))}
      empty={
        wanted?.['behind'] !== undefined ? (
          <Empty icon={<IconApps size={22} aria-hidden />} title="Every app has the newest template" />
        ) : (
          <Empty
            icon={<IconApps size={22} aria-hidden />}
            title="No app was ordered yet"
            action={
              <Button component={Link} href={pages.catalogue} size="xs">
                Open the catalogue
              </Button>
            }
          >
            Choose a product, say under which domain it shall run, and watch it being set up.
          </Empty>
        )
      }
    />
  )
}
