import { IconTimelineEvent } from '@tabler/icons-react'
import { Empty } from '../../components/Empty.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Panel } from '../../components/Panel.tsx'
import { Timeline } from '../../components/Timeline.tsx'
import type { TimelineView } from '../../lib/api/contract.ts'
import { useResource } from '../../lib/api/queries.ts'
import { sentence } from '../../lib/sentence.ts'
import { TOPIC } from './paths.ts'

export function DeploymentTimeline({ path }: { readonly path: string }) {
  const query = useResource<TimelineView>(TOPIC, `${path}/timeline`)
  return (
    <Panel title="Timeline">
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={<IconTimelineEvent size={22} aria-hidden />} title="Nothing has happened yet" />
          ) : (
            <Timeline
              events={items.map(({ at, message, actor, tone }, index) => ({
                // Newest first: counted from the end, a line keeps its identity when another one arrives.
                id: String(items.length - index),
                at,
                reason: sentence(message),
                message: '',
                tone,
                about: actor,
              }))}
            />
          )
        }
      </Loaded>
    </Panel>
  )
}
