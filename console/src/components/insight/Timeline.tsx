import { Text } from '@mantine/core'
import type { EventView } from '../../lib/api/contract.ts'
import type { Tone } from '../../lib/tone.ts'
import { dayText } from '../../lib/age.ts'
import { useNow } from '../../lib/now.ts'
import { Age } from '../feedback/Age.tsx'
import classes from './Timeline.module.css'

/** One line of a timeline. */
export interface TimelineLine {
  readonly id: string
  readonly at: string
  readonly reason: string
  readonly message: string
  readonly tone: Tone
  /** The object or the actor, whichever the page does not show already. */
  readonly about: string
}

export const lineOfEvent = ({ kind, object_id: id, ...event }: EventView): TimelineLine => ({
  ...event,
  about: `${kind}/${id}`,
})

/** Lines in the given order, newest first, grouped by day. */
export function Timeline({ lines }: { readonly lines: readonly TimelineLine[] }) {
  const now = useNow()
  const days = Map.groupBy(lines, ({ at }) => dayText(at, now))
  return (
    <div className={classes.days}>
      {[...days].map(([day, items]) => (
        <section key={day} aria-label={day}>
          <Text className={classes.day}>{day}</Text>
          <ol className={classes.events}>
            {items.map((event) => (
              <Entry key={event.id} event={event} />
            ))}
          </ol>
        </section>
      ))}
    </div>
  )
}

function Entry({ event }: { readonly event: TimelineLine }) {
  return (
    <li className={classes.event} data-tone={event.tone}>
      <span className={classes.dot} aria-hidden />
      <div className={classes.text}>
        <div className={classes.head}>
          <b>{event.reason}</b>
          <span className={classes.object}>{event.about}</span>
          <span className={classes.age}>
            <Age since={event.at} />
          </span>
        </div>
        {event.message !== '' && <Text size="sm">{event.message}</Text>}
      </div>
    </li>
  )
}
