import { Group, Text, Title } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import classes from './Page.module.css'

interface PageProps {
  readonly title: string
  readonly description?: ReactNode
  /** Beside the title. */
  readonly aside?: ReactNode
  readonly actions?: ReactNode
  /** Above the title, for the way back. */
  readonly above?: ReactNode
  readonly children: ReactNode
}

/** The frame of every page. Arriving moves the focus to its heading, so that a screen reader says where one is. */
export function Page({ title, description, aside, actions, above, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Caelus`
  }, [title])
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <div className={classes.page}>
      <header className={classes.header}>
        <div className={classes.titles}>
          {above}
          <Group gap="sm" align="center">
            <Title order={1} ref={heading} tabIndex={-1} className={classes.title}>
              {title}
            </Title>
            {aside}
          </Group>
          {description && (
            <Text component="div" c="dimmed" size="sm" maw={680}>
              {description}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </header>
      {children}
    </div>
  )
}
