import { ActionIcon } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconTrash } from '@tabler/icons-react'
import type { RefObject } from 'react'
import classes from './forms.module.css'

interface ItemToolsProps {
  /** `host 2`. */
  readonly name: string
  readonly index: number
  readonly count: number
  readonly onMove: (by: -1 | 1) => void
  /** Absent: the list would get too short. */
  readonly onRemove?: () => void
}

/** What can be done with one item of a list. A list of one has no order to change. */
export function ItemTools({ name, index, count, onMove, onRemove }: ItemToolsProps) {
  const look = { variant: 'subtle', color: 'gray' } as const
  return (
    <div className={classes.tools}>
      {count > 1 && (
        <>
          <ActionIcon
            {...look}
            aria-label={`Move ${name} up`}
            data-move={`${index} -1`}
            disabled={index === 0}
            onClick={() => onMove(-1)}
          >
            <IconArrowUp size={16} aria-hidden />
          </ActionIcon>
          <ActionIcon
            {...look}
            aria-label={`Move ${name} down`}
            data-move={`${index} 1`}
            disabled={index === count - 1}
            onClick={() => onMove(1)}
          >
            <IconArrowDown size={16} aria-hidden />
          </ActionIcon>
        </>
      )}
      <ActionIcon {...look} aria-label={`Remove ${name}`} disabled={onRemove === undefined} onClick={onRemove}>
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
    </div>
  )
}

/** Keeps the focus on the item that moved, so that it can be moved on; at an end, on the way back. */
export function focusMove(list: RefObject<HTMLElement | null>, index: number, by: -1 | 1): void {
  const button = (way: number): HTMLButtonElement | null | undefined =>
    list.current?.querySelector<HTMLButtonElement>(`:scope > * > * > * > [data-move="${index} ${way}"]`)
  requestAnimationFrame(() => {
    const same = button(by)
    ;(same?.disabled ? button(-by) : same)?.focus()
  })
}
