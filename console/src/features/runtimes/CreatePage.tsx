import { Anchor, Breadcrumbs, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { Link, useLocation } from 'wouter'
import { Page } from '../../components/page/Page.tsx'
import { ManifestEditor } from './ManifestEditor.tsx'
import { api, pages } from './paths.ts'

export function CreatePage() {
  const [, go] = useLocation()
  return (
    <Page
      title="New runtime"
      above={<WayBack here="new" />}
      description="A class with its functions. Nothing is made before you have seen what it would be."
    >
      <ManifestEditor
        verb="Create"
        save={(client, manifest, idempotencyKey) => client.post(api.runtimes, manifest, { idempotencyKey })}
        onSaved={(saved) => {
          notifications.show({ message: `${saved.name} is created` })
          go(pages.runtime(saved))
        }}
      />
    </Page>
  )
}

export const WayBack = ({ here }: { readonly here: string }) => (
  <Breadcrumbs separator="›">
    <Anchor component={Link} href={pages.list} size="sm">
      Runtimes
    </Anchor>
    <Text size="sm" c="dimmed">
      {here}
    </Text>
  </Breadcrumbs>
)
