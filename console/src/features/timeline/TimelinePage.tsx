import { IconTimelineEvent } from '@tabler/icons-react'
import { Empty } from '../../components/feedback/Empty.tsx'
import { Loaded } from '../../components/feedback/Loaded.tsx'
import { Page } from '../../components/page/Page.tsx'
import { Panel } from '../../components/detail/Panel.tsx'
import { ShowMore } from '../../components/list/ShowMore.tsx'
import { lineOfEvent, Timeline } from '../../components/insight/Timeline.tsx'
import type { EventView } from '../../lib/api/contract.ts'
import { useResourcePages } from '../../lib/api/queries.ts'

export function TimelinePage() {
  const pages = useResourcePages<EventView>('events', '/events')
  return (
    <Page title="Timeline" description="What changed in all domains, newest first. New lines appear by themselves.">
      <Loaded query={pages}>
        {(data) => {
          const events = data.pages.flatMap((page) => page.items)
          return (
            <Panel>
              {events.length === 0 ? (
                <Empty icon={<IconTimelineEvent size={22} aria-hidden />} title="Nothing has happened yet">
                  A line appears here when something changes its state.
                </Empty>
              ) : (
                <Timeline lines={events.map(lineOfEvent)} />
              )}
            </Panel>
          )
        }}
      </Loaded>
      <ShowMore pages={pages} />
    </Page>
  )
}
