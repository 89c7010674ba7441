import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { DetailPage } from '../../components/detail/DetailPage.tsx'
import type { RuntimeView } from '../../lib/api/contract.ts'
import { useResource } from '../../lib/api/queries.ts'
import { ManifestEditor } from './ManifestEditor.tsx'
import { api, pages, TOPIC } from './paths.ts'
import type { RuntimeRef } from './paths.ts'

export function EditPage({ runtime: ref }: { readonly runtime: RuntimeRef }) {
  const query = useResource<RuntimeView>(TOPIC, api.runtime(ref))
  return (
    <DetailPage
      list={{ label: ref.name, href: pages.runtime(ref) }}
      kind="settings"
      name={`Change ${ref.name}`}
      query={query}
    >
      {(runtime) => <Edit runtime={runtime} />}
    </DetailPage>
  )
}

function Edit({ runtime }: { readonly runtime: RuntimeView }) {
  // What is edited is what was read when editing began: saving is refused if another user changed it since.
  const [{ namespace, name, generation, spec }] = useState(runtime)
  const [before] = useState({ namespace, name, spec })
  const [, go] = useLocation()
  return (
    <ManifestEditor
      before={before}
      verb="Save"
      save={(client, manifest, idempotencyKey) =>
        client.put(api.runtime(before), manifest, { idempotencyKey, ifMatch: `"${generation}"` })
      }
      onSaved={(saved) => {
        notifications.show({ message: `The change of ${saved.name} is saved` })
        go(pages.runtime(saved))
      }}
    />
  )
}
