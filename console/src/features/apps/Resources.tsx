import type { UseQueryResult } from '@tanstack/react-query'
import { Age } from '../../components/feedback/Age.tsx'
import { Loaded } from '../../components/feedback/Loaded.tsx'
import { ObjectTree } from '../../components/detail/ObjectTree.tsx'
import type { ObjectNode } from '../../components/detail/ObjectTree.tsx'
import { Panel } from '../../components/detail/Panel.tsx'
import type { ResourceEventView, ResourcesView, ResourceView } from '../../lib/api/contract.ts'
import { spokenObjectHealth } from '../../lib/tone.ts'
import { treeOf } from './tree.ts'
import type { TreeNode } from './tree.ts'
import classes from './Resources.module.css'

/** Its objects in the control plane beneath their owners, with how each is and what Kubernetes said about it. */
export function Resources({ query }: { readonly query: UseQueryResult<ResourcesView> }) {
  return (
    <Panel title="Resources" flush>
      <Loaded query={query}>{({ items }) => <ObjectTree nodes={treeOf(items).map(nodeOf)} label="Resources" />}</Loaded>
    </Panel>
  )
}

const nodeOf = ({ resource, children }: TreeNode): ObjectNode => {
  const { id, kind, name, health, message, since, events } = resource
  return {
    id,
    kind,
    name,
    ...spokenObjectHealth(health),
    message,
    ...(since !== null && { since }),
    ...(events.length > 0 && { details: <Events resource={resource} />, isOpen: health === 'failing' }),
    children: children.map(nodeOf),
  }
}

const Events = ({ resource: { id, events } }: { readonly resource: ResourceView }) => (
  <ul className={classes.events} aria-label={`Events of ${id}`}>
    {events.map((event) => (
      <EventLine key={`${event.at} ${event.reason} ${event.message}`} event={event} />
    ))}
  </ul>
)

const EventLine = ({ event: { at, type, reason, message, count } }: { readonly event: ResourceEventView }) => (
  <li data-type={type}>
    <b>{reason}</b>
    {count > 1 && ` ×${count}`} {message}{' '}
    <span className={classes.age}>
      <Age since={at} />
    </span>
  </li>
)
