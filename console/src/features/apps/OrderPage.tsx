import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { DetailPage } from '../../components/detail/DetailPage.tsx'
import { Empty } from '../../components/feedback/Empty.tsx'
import { Loaded } from '../../components/feedback/Loaded.tsx'
import { Panel } from '../../components/detail/Panel.tsx'
import type { DeploymentView, PreviewView, ProductView, TemplateFormView } from '../../lib/api/contract.ts'
import { useResource } from '../../lib/api/queries.ts'
import { ClusterChoice } from './ClusterChoice.tsx'
import { api, pages, TOPIC } from './paths.ts'
import { SettingsEditor } from './SettingsEditor.tsx'

interface OrderPageProps {
  readonly productId: string
  readonly userId: string
}

export function OrderPage({ productId, userId }: OrderPageProps) {
  const query = useResource<ProductView>(TOPIC, api.product(productId))
  return (
    <DetailPage
      list={{ label: 'Catalogue', href: pages.catalogue }}
      kind="order"
      name={`Order ${query.data?.name ?? productId}`}
      query={query}
    >
      {({ template_id: templateId }) =>
        templateId === null ? (
          <Panel>
            <Empty title="This product is not published yet">An admin has to publish a template first.</Empty>
          </Panel>
        ) : (
          <Order key={templateId} templateId={templateId} userId={userId} />
        )
      }
    </DetailPage>
  )
}

function Order({ templateId, userId }: { readonly templateId: string; readonly userId: string }) {
  const form = useResource<TemplateFormView>(TOPIC, api.form(templateId))
  const [, go] = useLocation()
  const [clusterId, setClusterId] = useState<string | null>(null)
  const ordered = { template_id: templateId, ...(clusterId !== null && { cluster_id: clusterId }) }
  const path = api.deployments(userId)
  return (
    <Loaded query={form}>
      {(data) => (
        <SettingsEditor
          form={data}
          verb="Order"
          renderChoice={(forget) => (
            <ClusterChoice
              value={clusterId}
              onChange={(chosen) => {
                setClusterId(chosen)
                forget()
              }}
            />
          )}
          preview={(client, input) => client.post<PreviewView>(`${path}:preview`, { ...ordered, ...input })}
          save={(client, input, idempotencyKey) =>
            client.post<DeploymentView>(path, { ...ordered, ...input }, { idempotencyKey })
          }
          onSaved={(saved) => {
            notifications.show({ message: `${saved.domainname} is ordered` })
            go(pages.deployment(saved))
          }}
        />
      )}
    </Loaded>
  )
}
