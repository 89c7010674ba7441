import { IconTimelineEvent } from '@tabler/icons-react'
import { useResource } from '../../lib/api/queries.ts'
import { Empty } from '../feedback/Empty.tsx'
import { Loaded } from '../feedback/Loaded.tsx'
import { Panel } from '../detail/Panel.tsx'
import { Timeline } from './Timeline.tsx'
import type { Happening } from './Timeline.tsx'

interface ObjectTimelineProps<T> {
  readonly topic: string
  /** Where the API tells what happened to the object, newest first. */
  readonly path: string
  readonly happeningOf: (entry: T) => Omit<Happening, 'id'>
}

/** What happened to one object. */
export function ObjectTimeline<T>({ topic, path, happeningOf }: ObjectTimelineProps<T>) {
  const query = useResource<{ readonly items: readonly T[] }>(topic, path)
  return (
    <Panel title="Timeline">
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={<IconTimelineEvent size={22} aria-hidden />} title="Nothing has happened yet" />
          ) : (
            <Timeline
              events={items.map((entry, index) => ({
                ...happeningOf(entry),
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
