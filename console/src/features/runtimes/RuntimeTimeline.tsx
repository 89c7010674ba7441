import { ObjectTimeline } from '../../components/insight/ObjectTimeline.tsx'
import type { RuntimeTimelineEntryView } from '../../lib/api/contract.ts'
import { api, TOPIC } from './paths.ts'
import type { RuntimeRef } from './paths.ts'

/** What people did, the controller decided, and Kubernetes told. */
export const RuntimeTimeline = ({ runtime }: { readonly runtime: RuntimeRef }) => (
  <ObjectTimeline<RuntimeTimelineEntryView>
    topic={TOPIC}
    path={`${api.runtime(runtime)}/timeline`}
    happeningOf={({ at, what, count, message, tone, object, actor }) => ({
      at,
      reason: count > 1 ? `${what} ×${count}` : what,
      message,
      tone,
      about: [object, actor].filter((one) => one !== null).join(', '),
    })}
  />
)
