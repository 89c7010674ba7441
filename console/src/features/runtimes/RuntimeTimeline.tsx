import { IconTimelineEvent } from '@tabler/icons-react'
import { Empty } from '../../components/Empty.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Panel } from '../../components/Panel.tsx'
import { Timeline } from '../../components/Timeline.tsx'
import type { Happening } from '../../components/Timeline.tsx'
import type { RuntimeTimelineEntryView, RuntimeTimelineView } from '../../lib/api/contract.ts'
import { useResource } from '../../lib/api/queries.ts'
import { api, TOPIC } from './paths.ts'
import type { RuntimeRef } from './paths.ts'

/** What people did, the controller decided, and Kubernetes told. */
export function RuntimeTimeline({ runtime }: { readonly runtime: RuntimeRef }) {
  const query = useResource<RuntimeTimelineView>(TOPIC, `${api.runtime(runtime)}/timeline`)
  return (
    <Panel title="Timeline">
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={<IconTimelineEvent size={22} aria-hidden />} title="Nothing has happened yet" />
          ) : (
            <Timeline events={items.map((entry, index) => happeningOf(entry, items.length - index))} />
          )
        }
      </Loaded>
    </Panel>
  )
}

/** Newest first: numbered from the end, a line keeps its identity when another one arrives. */
const happeningOf = (entry: RuntimeTimelineEntryView, number: number): Happening => ({
  id: String(number),
  at: entry.at,
  reason: entry.count > 1 ? `${entry.what} ×${entry.count}` : entry.what,
  message: entry.message,
  tone: entry.tone,
  about: [entry.object, entry.actor].filter((one) => one !== null).join(', '),
})
