import { Text } from '@mantine/core'
import type { EventView } from '../lib/api/contract.ts'
import { dayText } from '../lib/age.ts'
import { useNow } from '../lib/now.ts'
import { Age } from './Age.tsx'
import classes from './Timeline.module.css'

/** What happened, newest first, under the day it happened on. Order and days come from the events given. */
export function Timeline({ events }: { readonly events: readonly EventView[] }) {
  const now = useNow()
  const days = Map.groupBy(events, (event) => dayText(event.at, now))
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

function Entry({ event }: { readonly event: EventView }) {
  return (
    <li className={classes.event} data-tone={event.tone}>
      <span className={classes.dot} aria-hidden />
      <div className={classes.text}>
        <div className={classes.head}>
          <b>{event.reason}</b>
          <span className={classes.object}>
            {event.kind}/{event.object_id}
          </span>
          <span className={classes.age}>
            <Age since={event.at} />
          </span>
        </div>
        {event.message !== '' && <Text size="sm">{event.message}</Text>}
      </div>
    </li>
  )
}
