import { Progress, Text } from '@mantine/core'

interface LimitBarProps {
  /** What is counted, plural and in lower case: `nodes`. */
  readonly noun: string
  readonly used: number
  /** Null: no limit. */
  readonly limit: number | null
}

/** How much of a limit is used. */
export function LimitBar({ noun, used, limit }: LimitBarProps) {
  const isOver = limit !== null && used > limit
  return (
    <div>
      <Text size="sm" {...(isOver && { c: 'var(--tone-bad)', fw: 600 })}>
        {limitText({ noun, used, limit })}
      </Text>
      {limit !== null && (
        <Progress
          value={limit === 0 ? 100 : Math.min(100, (100 * used) / limit)}
          size="sm"
          mt={4}
          color={isOver ? 'var(--tone-bad)' : 'var(--tone-wait)'}
          aria-label={`Limit of ${noun}`}
          aria-valuetext={limitText({ noun, used, limit })}
        />
      )}
    </div>
  )
}

/** `3 of 5 nodes, 2 left` */
export function limitText({ noun, used, limit }: LimitBarProps): string {
  if (limit === null) return `${used} ${used === 1 ? noun.replace(/s$/, '') : noun}, no limit`
  return `${used} of ${limit} ${noun}, ${used > limit ? `${used - limit} too many` : `${limit - used} left`}`
}
