import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { DetailPage } from '../../components/detail/DetailPage.tsx'
import { Loaded } from '../../components/feedback/Loaded.tsx'
import type { DeploymentView, PreviewView, TemplateFormView } from '../../lib/api/contract.ts'
import { useResource } from '../../lib/api/queries.ts'
import { api, pages, TOPIC } from './paths.ts'
import { SettingsEditor } from './SettingsEditor.tsx'

type Ref = Pick<DeploymentView, 'id' | 'user_id'>

export function EditPage({ deployment: ref }: { readonly deployment: Ref }) {
  const query = useResource<DeploymentView>(TOPIC, api.deployment(ref))
  return (
    <DetailPage
      list={{ label: query.data?.domainname ?? 'App', href: pages.deployment(ref) }}
      kind="settings"
      name={query.data ? `Change ${query.data.domainname}` : ref.id}
      query={query}
    >
      {(deployment) => <Edit deployment={deployment} />}
    </DetailPage>
  )
}

function Edit({ deployment }: { readonly deployment: DeploymentView }) {
  // What is edited is what was read when editing began: saving is refused if another user changed it since.
  const [before] = useState(deployment)
  const form = useResource<TemplateFormView>(TOPIC, api.form(before.desired_template_id))
  const [, go] = useLocation()
  const path = api.deployment(before)
  return (
    <Loaded query={form}>
      {(data) => (
        <SettingsEditor
          form={data}
          before={before}
          verb="Save"
          preview={(client, input) => client.post<PreviewView>(`${path}:preview`, input)}
          save={(client, input, idempotencyKey) =>
            client.patch<DeploymentView>(path, input, { idempotencyKey, ifMatch: `"${before.generation}"` })
          }
          onSaved={(saved) => {
            notifications.show({ message: `The change of ${saved.domainname} is saved` })
            go(pages.deployment(saved))
          }}
        />
      )}
    </Loaded>
  )
}
