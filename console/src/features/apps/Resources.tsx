import { IconBoxOff, IconChevronRight } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { Age } from '../../components/Age.tsx'
import { Empty } from '../../components/Empty.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Panel } from '../../components/Panel.tsx'
import { StatusLabel } from '../../components/StatusLabel.tsx'
import type { ResourceEventView, ResourcesView, ResourceView } from '../../lib/api/contract.ts'
import { spokenHealth } from './status.ts'
import { treeOf } from './tree.ts'
import type { TreeNode } from './tree.ts'
import classes from './Resources.module.css'

/** Its objects in the cluster beneath their owners, with how each is and what Kubernetes said about it. */
export function Resources({ query }: { readonly query: UseQueryResult<ResourcesView> }) {
  return (
    <Panel title="Resources" flush>
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={<IconBoxOff size={22} aria-hidden />} title="Nothing is in the cluster">
              Objects appear here as soon as they are made.
            </Empty>
          ) : (
            <Nodes nodes={treeOf(items)} label="Resources" />
          )
        }
      </Loaded>
    </Panel>
  )
}

const Nodes = ({ nodes, label }: { readonly nodes: readonly TreeNode[]; readonly label: string }) => (
  <ul className={classes.nodes} aria-label={label}>
    {nodes.map(({ resource, children }) => (
      <li key={resource.id} className={classes.node}>
        <Resource resource={resource} />
        {children.length > 0 && <Nodes nodes={children} label={`Owned by ${resource.id}`} />}
      </li>
    ))}
  </ul>
)

function Resource({ resource }: { readonly resource: ResourceView }) {
  const { kind, name, health, message, since, events } = resource
  const { tone, word } = spokenHealth(health)
  const head = (
    <>
      <span className={classes.name}>
        {events.length > 0 && <IconChevronRight size={13} className={classes.caret} aria-hidden />}
        <span className={classes.kind}>{kind}</span> {name}
      </span>
      <span className={classes.health}>
        <StatusLabel tone={tone} {...(since !== null && { since })}>
          {word}
        </StatusLabel>
      </span>
      {message !== '' && <span className={classes.message}>{message}</span>}
    </>
  )
  if (events.length === 0) return <div className={classes.row}>{head}</div>
  return (
    <details open={health === 'failing'}>
      <summary className={classes.row}>{head}</summary>
      <ul className={classes.events} aria-label={`Events of ${resource.id}`}>
        {events.map((event) => (
          <EventLine key={`${event.at} ${event.reason} ${event.message}`} event={event} />
        ))}
      </ul>
    </details>
  )
}

const EventLine = ({ event: { at, type, reason, message, count } }: { readonly event: ResourceEventView }) => (
  <li data-type={type}>
    <b>{reason}</b>
    {count > 1 && ` ×${count}`} {message}{' '}
    <span className={classes.age}>
      <Age since={at} />
    </span>
  </li>
)
