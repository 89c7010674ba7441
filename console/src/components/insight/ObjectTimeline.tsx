import { IconTimelineEvent } from '@tabler/icons-react'
import type { TimelineEntryView, TimelineView } from '../../lib/api/contract.ts'
import { useResource } from '../../lib/api/queries.ts'
import { sentence } from '../../lib/sentence.ts'
import { Empty } from '../feedback/Empty.tsx'
import { Loaded } from '../feedback/Loaded.tsx'
import { Panel } from '../detail/Panel.tsx'
import { Timeline } from './Timeline.tsx'
import type { TimelineLine } from './Timeline.tsx'

interface ObjectTimelineProps {
  readonly topic: string
  /** The timeline route of the object; newest first. */
  readonly path: string
}

/** The timeline of one object, the same for every domain. */
export function ObjectTimeline({ topic, path }: ObjectTimelineProps) {
  const query = useResource<TimelineView>(topic, path)
  return (
    <Panel title="Timeline">
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={<IconTimelineEvent size={22} aria-hidden />} title="Nothing has happened yet" />
          ) : (
            <Timeline
              lines={items.map((entry, index) => ({
                ...lineOf(entry),
                // Newest first: counted from the end, a line keeps its identity when another one arrives.
                id: String(items.length - index),
              }))}
            />
          )
        }
      </Loaded>
    </Panel>
  )
}

const lineOf = ({ at, what, count, message, tone, object, actor }: TimelineEntryView): Omit<TimelineLine, 'id'> => ({
  at,
  reason: count > 1 ? `${what} ×${count}` : what,
  message: message === '' ? '' : sentence(message),
  tone,
  about: [object, actor].filter((one) => one !== null).join(', '),
})
