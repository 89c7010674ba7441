import { Button, Group } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useState } from 'react'
import { DeleteButton } from '../../../components/delete/DeleteButton.tsx'
import { DetailPage } from '../../../components/detail/DetailPage.tsx'
import { SectionLinks } from '../../../components/detail/SectionLinks.tsx'
import type { ClusterView, OrganizationView } from '../../../lib/api/contract.ts'
import { useResource } from '../../../lib/api/queries.ts'
import { mayChange } from '../../../lib/organizations.ts'
import { AsOf } from '../AsOf.tsx'
import { ClusterStatusLabel } from '../ClusterStatusLabel.tsx'
import { Maintenance } from '../maintenance/Maintenance.tsx'
import { api, pages, TOPIC } from '../paths.ts'
import type { ClusterRef } from '../paths.ts'
import { NodePools } from '../pools/NodePools.tsx'
import { SimulatedNotice } from '../SimulatedNotice.tsx'
import { ClusterApps } from './ClusterApps.tsx'
import { ClusterHistory } from './ClusterHistory.tsx'
import { ClusterNow } from './ClusterNow.tsx'
import { DeleteCluster } from './DeleteCluster.tsx'
import { DownloadKubeconfig } from './DownloadKubeconfig.tsx'

interface ClusterPageProps {
  readonly cluster: ClusterRef
  readonly section: string | undefined
  readonly isAdmin: boolean
}

export function ClusterPage({ cluster: ref, section, isAdmin }: ClusterPageProps) {
  const query = useResource<ClusterView>(TOPIC, api.cluster(ref))
  const organization = useResource<OrganizationView>('organizations', api.organization(ref.organization_id))
  const [dialog, setDialog] = useState<'delete' | 'kubeconfig'>()
  const close = (): void => setDialog(undefined)
  const rights = rightsOn(query.data, mayChange(organization.data ?? { role: null }, isAdmin))
  return (
    <>
      <DetailPage
        list={{ label: 'Clusters', href: pages.listOf(ref.organization_id) }}
        kind={query.data ? `cluster of ${query.data.organization}` : 'cluster'}
        name={query.data?.name ?? ref.id}
        query={query}
        renderStatus={(cluster) => (
          <Group gap="sm">
            <ClusterStatusLabel cluster={cluster} />
            <AsOf cluster={cluster} />
          </Group>
        )}
        renderActions={() =>
          rights.mayOperate && (
            <>
              <Button leftSection={<IconKey size={16} aria-hidden />} onClick={() => setDialog('kubeconfig')}>
                Kubeconfig
              </Button>
              {rights.mayWrite && <DeleteButton onClick={() => setDialog('delete')} />}
            </>
          )
        }
      >
        {(cluster) => (
          <>
            <SimulatedNotice />
            <SectionLinks
              label={cluster.name}
              sections={[
                [pages.cluster(ref), 'Status'],
                [pages.pools(ref), 'Node pools'],
                [pages.apps(ref), 'Apps'],
                [pages.maintenance(ref), 'Maintenance'],
                [pages.history(ref), 'History'],
              ]}
            />
            <Section section={section} cluster={cluster} {...rights} />
          </>
        )}
      </DetailPage>
      {dialog === 'delete' && query.data && <DeleteCluster cluster={query.data} onClose={close} />}
      {dialog === 'kubeconfig' && query.data && <DownloadKubeconfig cluster={query.data} onClose={close} />}
    </>
  )
}

interface Rights {
  readonly mayWrite: boolean
  /** Also during a deletion: one that failed needs a retry, or a cleanup inside the cluster. */
  readonly mayOperate: boolean
}

function rightsOn(cluster: ClusterView | undefined, isMember: boolean): Rights {
  const mayOperate = isMember && cluster !== undefined && cluster.status !== 'deleted'
  return { mayOperate, mayWrite: mayOperate && cluster.deleting_since === null }
}

interface SectionProps extends Rights {
  readonly section: string | undefined
  readonly cluster: ClusterView
}

function Section({ section, cluster, mayWrite, mayOperate }: SectionProps) {
  if (section === 'node-pools') return <NodePools cluster={cluster} mayWrite={mayWrite} />
  if (section === 'apps') return <ClusterApps cluster={cluster} mayWrite={mayWrite} />
  if (section === 'maintenance') return <Maintenance cluster={cluster} mayWrite={mayWrite} />
  if (section === 'history') return <ClusterHistory cluster={cluster} />
  return <ClusterNow cluster={cluster} mayOperate={mayOperate} />
}
