import { Progress } from '@mantine/core'
import type { ClusterView } from '../../lib/api/contract.ts'
import classes from './ClusterProgress.module.css'
import { progressOf } from './status.ts'

interface ClusterProgressProps {
  readonly cluster: ClusterView
  /** The task in two lines at most. */
  readonly isShort?: boolean
}

/** How far Gardener is, and the task that it is at. Nothing while no operation is under way. */
export function ClusterProgress({ cluster, isShort = false }: ClusterProgressProps) {
  const progress = progressOf(cluster)
  if (progress === undefined) return null
  const { percent, task, isFailing } = progress
  return (
    <div className={classes.progress} data-short={isShort || undefined}>
      <Progress
        value={percent}
        size="sm"
        color={isFailing ? 'var(--tone-bad)' : 'var(--tone-wait)'}
        aria-label={`Progress of ${cluster.name}`}
        aria-valuetext={`${percent} percent: ${task}`}
      />
      <span className={classes.words}>
        <span className={`${classes.percent} tabular`}>{percent} %</span>
        <span className={classes.task} {...(isShort && { title: task })}>
          {task}
        </span>
      </span>
    </div>
  )
}
