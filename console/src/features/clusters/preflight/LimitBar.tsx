import { Progress, Text } from '@mantine/core'

interface LimitBarProps {
  /** What is counted, plural and in lower case: `nodes`. */
  readonly noun: string
  readonly used: number
  /** What the change under way would add to it. @default 0 */
  readonly added?: number
  /** Null: no limit. */
  readonly limit: number | null
}

/** How much of a limit is used, and with what is being ordered. */
export function LimitBar({ noun, used, added = 0, limit }: LimitBarProps) {
  const then = used + added
  const isOver = limit !== null && then > limit
  const text = limitText({ noun, used, added, limit })
  const share = (count: number): number => (limit === null || limit === 0 ? 100 : Math.min(100, (100 * count) / limit))
  const kept = share(Math.min(used, then))
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
          {added > 0 && (
            <Progress.Section
              value={share(then) - kept}
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

/** `3 of 5 nodes with this change, 2 left` */
export function limitText({ noun, used, added = 0, limit }: LimitBarProps): string {
  const then = used + added
  const change = added === 0 ? '' : ' with this change'
  if (limit === null) return `${then} ${then === 1 ? noun.replace(/s$/, '') : noun}${change}, no limit`
  return `${then} of ${limit} ${noun}${change}, ${then > limit ? `${then - limit} too many` : `${limit - then} left`}`
}
