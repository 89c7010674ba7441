import { Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './Empty.module.css'

interface EmptyProps {
  readonly icon?: ReactNode
  readonly title: string
  readonly children?: ReactNode
  /** What the reader can do about it. */
  readonly action?: ReactNode
}

/** Nothing is here, why that is so, and what to do next. */
export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div className={classes.empty}>
      {icon && <div className={classes.icon}>{icon}</div>}
      <Title order={2} size="h4">
        {title}
      </Title>
      {children && (
        <Text component="div" size="sm" c="dimmed" maw={520}>
          {children}
        </Text>
      )}
      {action}
    </div>
  )
}
