import { Tooltip } from '@mantine/core'
import { IconAlertTriangleFilled, IconCircleCheckFilled, IconCircleDashed, IconProgress } from '@tabler/icons-react'
import type { ComponentType, ReactNode } from 'react'
import type { Tone } from '../../lib/tone.ts'
import { Age } from './Age.tsx'
import classes from './StatusLabel.module.css'

const ICONS: Record<Tone, ComponentType<{ size: number; 'aria-hidden': true }>> = {
  good: IconCircleCheckFilled,
  wait: IconProgress,
  bad: IconAlertTriangleFilled,
  info: IconCircleDashed,
}

interface StatusLabelProps {
  readonly tone: Tone
  readonly children: ReactNode
  /** Why; shown on hover and focus. */
  readonly why?: string
  /** Since when it has this status. */
  readonly since?: string
}

export function StatusLabel({ tone, children, why, since }: StatusLabelProps) {
  const Icon = ICONS[tone]
  const label = (
    <span className={classes.label} data-tone={tone} {...(why ? { tabIndex: 0 } : {})}>
      <Icon size={15} aria-hidden />
      <span>{children}</span>
      {since !== undefined && (
        <span className={classes.since}>
          <Age since={since} />
        </span>
      )}
    </span>
  )
  if (!why) return label
  return (
    <Tooltip label={why} multiline maw={360} events={{ hover: true, focus: true, touch: true }}>
      {label}
    </Tooltip>
  )
}
