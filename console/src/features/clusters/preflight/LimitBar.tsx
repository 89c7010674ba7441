import { Progress, Text } from '@mantine/core'

interface LimitBarProps {
  /** What is counted, plural and in lower case: `nodes`. */
  readonly noun: string
  readonly used: number
  /** With the change under way. @default as many as now */
  readonly after?: number
  /** Null: no limit. */
  readonly limit: number | null
}

/** How much of a limit is used, and with what is being ordered. */
export function LimitBar({ noun, used, after = used, limit }: LimitBarProps) {
  const isOver = limit !== null && after > limit
  const text = limitText({ noun, used, after, limit })
  const share = (count: number): number => (limit === null || limit === 0 ? 100 : Math.min(100, (100 * count) / limit))
  const kept = share(Math.min(used, after))
  return (
    <div>
      <Text size="sm" {...(isOver && { c: 'var(--tone-bad)', fw: 600 })}>
        {text}
      </Text>
      {limit !== null && (
        <Progress.Root size="sm" mt={4}>
          <Progress.Section
            value={kept}
            color={isOver ? 'var(--tone-bad)' : 'var(--tone-wait)'}
            aria-label={`Limit of ${noun}`}
            aria-valuetext={text}
          />
          {after > used && (
            <Progress.Section
              value={share(after) - kept}
              striped
              color={isOver ? 'var(--tone-bad)' : 'var(--tone-good)'}
              withAria={false}
            />
          )}
        </Progress.Root>
      )}
    </div>
  )
}

/** `3 of 5 nodes with this change (2 now), 2 left` */
export function limitText({ noun, used, after = used, limit }: LimitBarProps): string {
  const change = after === used ? '' : ` with this change (${used} now)`
  if (limit === null) return `${after} ${after === 1 ? noun.replace(/s$/, '') : noun}${change}, no limit`
  return `${after} of ${limit} ${noun}${change}, ${after > limit ? `${after - limit} too many` : `${limit - after} left`}`
}
