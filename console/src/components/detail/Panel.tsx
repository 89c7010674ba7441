import { Title } from '@mantine/core'
import { useId } from 'react'
import type { ReactNode } from 'react'
import classes from './Panel.module.css'

interface PanelProps {
  readonly title?: string
  readonly aside?: ReactNode
  /** Content reaches the edges, for tables and lists. */
  readonly flush?: boolean
  readonly children: ReactNode
}

/** A bordered surface with an optional heading; the only kind of card in the console. */
export function Panel({ title, aside, flush = false, children }: PanelProps) {
  const id = useId()
  return (
    <section className={classes.panel} {...(title !== undefined && { 'aria-labelledby': id })}>
      {title !== undefined && (
        <header className={classes.header}>
          <Title order={2} size="h5" id={id}>
            {title}
          </Title>
          {aside}
        </header>
      )}
      <div className={flush ? classes.flush : classes.body}>{children}</div>
    </section>
  )
}
