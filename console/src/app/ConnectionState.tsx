import { Tooltip, UnstyledButton } from '@mantine/core'
import { connectionLabel } from '../lib/live/connection.ts'
import { useConnection, useLine } from '../lib/live/context.tsx'
import { useNow } from '../lib/now.ts'
import classes from './Header.module.css'

/** Whether what is on the screen is live. Changes are spoken; the countdown is only shown. */
export function ConnectionState() {
  const connection = useConnection()
  const line = useLine()
  const now = useNow()
  const { tone, word, sentence } = connectionLabel(connection, now)
  return (
    <>
      <Tooltip label={sentence}>
        <div className={classes.connection} data-tone={tone} data-connection={connection.kind}>
          <span className={classes.dot} aria-hidden />
          <span className="tabular">{word}</span>
          {connection.kind === 'waiting' && (
            <UnstyledButton className={classes.hurry} onClick={() => line.hurry()}>
              Now
            </UnstyledButton>
          )}
        </div>
      </Tooltip>
      <span className="visually-hidden" role="status">
        {sentence}
      </span>
    </>
  )
}
