import { IconBoxOff, IconChevronRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Tone } from '../../lib/tone.ts'
import { Empty } from '../feedback/Empty.tsx'
import { StatusLabel } from '../feedback/StatusLabel.tsx'
import classes from './ObjectTree.module.css'

/** One Kubernetes object, and what it owns. */
export interface ObjectNode {
  readonly id: string
  readonly kind: string
  readonly name: string
  readonly tone: Tone
  readonly word: string
  readonly message: string
  readonly since?: string
  /** One click away, unless `isOpen`. */
  readonly details?: ReactNode
  readonly isOpen?: boolean
  readonly children: readonly ObjectNode[]
}

interface ObjectTreeProps {
  readonly nodes: readonly ObjectNode[]
  readonly label: string
}

/** Objects beneath their owners, with how each is. */
export const ObjectTree = ({ nodes, label }: ObjectTreeProps) =>
  nodes.length === 0 ? (
    <Empty icon={<IconBoxOff size={22} aria-hidden />} title="No objects found">
      Objects appear here as soon as they are made.
    </Empty>
  ) : (
    <ul className={classes.nodes} aria-label={label}>
      {nodes.map((node) => (
        <li key={node.id} className={classes.node}>
          <Node node={node} />
          {node.children.length > 0 && <ObjectTree nodes={node.children} label={`Owned by ${node.id}`} />}
        </li>
      ))}
    </ul>
  )

function Node({ node }: { readonly node: ObjectNode }) {
  const { kind, name, tone, word, message, since, details, isOpen = false } = node
  const head = (
    <>
      <span className={classes.name}>
        {details !== undefined && <IconChevronRight size={13} className={classes.caret} aria-hidden />}
        <span className={classes.kind}>{kind}</span> {name}
      </span>
      <span className={classes.health}>
        <StatusLabel tone={tone} {...(since !== undefined && { since })}>
          {word}
        </StatusLabel>
      </span>
      {message !== '' && <span className={classes.message}>{message}</span>}
    </>
  )
  if (details === undefined) return <div className={classes.row}>{head}</div>
  return (
    <details open={isOpen}>
      <summary className={classes.row}>{head}</summary>
      <div className={classes.details}>{details}</div>
    </details>
  )
}
