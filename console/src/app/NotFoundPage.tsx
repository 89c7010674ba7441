import { Button } from '@mantine/core'
import { IconMapOff } from '@tabler/icons-react'
import { Link, useLocation } from 'wouter'
import { Empty } from '../components/feedback/Empty.tsx'
import { Page } from '../components/page/Page.tsx'
import { Panel } from '../components/detail/Panel.tsx'

export function NotFoundPage() {
  const [path] = useLocation()
  return (
    <Page title="Not found">
      <Panel>
        <Empty
          icon={<IconMapOff size={22} aria-hidden />}
          title="There is no such page"
          action={
            <Button component={Link} href="/" variant="default" mt="xs">
              To the overview
            </Button>
          }
        >
          Nothing lives at <code>{path}</code>. The address may be mistyped, or what it showed was moved.
        </Empty>
      </Panel>
    </Page>
  )
}
