import { Type, type Static } from 'typebox'
import { Timestamp } from './words.ts'

export const EventView = Type.Object(
  {
    id: Type.String({ description: 'Also the `id:` on the stream, to be sent back as Last-Event-ID.' }),
    at: Timestamp,
    topic: Type.String({
      description: 'What changed: status, decisions, tokens, organizations or the name of a domain.',
    }),
    kind: Type.String(),
    object_id: Type.String(),
    reason: Type.String(),
    message: Type.String(),
    tone: Type.Enum(['good', 'wait', 'bad', 'info']),
  },
  { description: 'One change; also the data of an `event: change` on the stream.' },
)
export type EventView = Static<typeof EventView>

/** Data of an `event: heartbeat` on the stream, at least every 15 s. */
export interface Heartbeat {
  at: string
}
