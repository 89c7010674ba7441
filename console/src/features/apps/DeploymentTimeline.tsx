import { ObjectTimeline } from '../../components/insight/ObjectTimeline.tsx'
import type { TimelineView } from '../../lib/api/contract.ts'
import { sentence } from '../../lib/sentence.ts'
import { TOPIC } from './paths.ts'

export const DeploymentTimeline = ({ path }: { readonly path: string }) => (
  <ObjectTimeline<TimelineView['items'][number]>
    topic={TOPIC}
    path={`${path}/timeline`}
    happeningOf={({ at, message, actor, tone }) => ({ at, reason: sentence(message), message: '', tone, about: actor })}
  />
)
