import { IconHistory } from '@tabler/icons-react'
import { Panel } from '../../../components/detail/Panel.tsx'
import { Empty } from '../../../components/feedback/Empty.tsx'
import { Loaded } from '../../../components/feedback/Loaded.tsx'
import { ObjectTimeline } from '../../../components/insight/ObjectTimeline.tsx'
import { Timeline } from '../../../components/insight/Timeline.tsx'
import { ShowMore } from '../../../components/list/ShowMore.tsx'
import { Column, Columns } from '../../../components/page/Columns.tsx'
import type { ClusterEventView } from '../../../lib/api/contract.ts'
import { useResourcePages } from '../../../lib/api/queries.ts'
import { api, TOPIC } from '../paths.ts'
import type { ClusterRef } from '../paths.ts'
import { lineOfEvent } from './events.ts'

/** Who asked for what and what became of it, and beside it every sync and status. */
export const ClusterHistory = ({ cluster }: { readonly cluster: ClusterRef }) => (
  <Columns>
    <Column>
      <ObjectTimeline topic={TOPIC} path={`${api.cluster(cluster)}/timeline`} />
    </Column>
    <Column>
      <Events cluster={cluster} />
    </Column>
  </Columns>
)

function Events({ cluster }: { readonly cluster: ClusterRef }) {
  const pages = useResourcePages<ClusterEventView>(TOPIC, `${api.cluster(cluster)}/events`, { limit: 50 })
  const events = pages.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <>
      <Panel title="Events">
        <Loaded query={pages}>
          {() =>
            events.length === 0 ? (
              <Empty icon={<IconHistory size={22} aria-hidden />} title="There are no events yet" />
            ) : (
              <Timeline lines={events.map(lineOfEvent)} />
            )
          }
        </Loaded>
      </Panel>
      <ShowMore pages={pages} />
    </>
  )
}
