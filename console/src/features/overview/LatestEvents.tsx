import { Anchor } from '@mantine/core'
import { IconTimelineEvent } from '@tabler/icons-react'
import { Link } from 'wouter'
import { Empty } from '../../components/feedback/Empty.tsx'
import { Loaded } from '../../components/feedback/Loaded.tsx'
import { Panel } from '../../components/detail/Panel.tsx'
import { lineOfEvent, Timeline } from '../../components/insight/Timeline.tsx'
import type { EventView, Page } from '../../lib/api/contract.ts'
import { useResource } from '../../lib/api/queries.ts'

/** For members, who do not see decisions. */
export function LatestEvents() {
  const query = useResource<Page<EventView>>('events', '/events?limit=8')
  return (
    <Panel
      title="Latest changes"
      aside={
        <Anchor component={Link} href="/timeline" size="sm">
          Timeline
        </Anchor>
      }
    >
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={<IconTimelineEvent size={22} aria-hidden />} title="Nothing has happened yet" />
          ) : (
            <Timeline lines={items.map(lineOfEvent)} />
          )
        }
      </Loaded>
    </Panel>
  )
}
