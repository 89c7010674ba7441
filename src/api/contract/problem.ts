import { Type, type Static } from 'typebox'
import { MOVERS } from './words.ts'

/** RFC 9457, media type application/problem+json. Every answer of 400 and above is one. */
export const Problem = Type.Object(
  {
    type: Type.String({ description: 'urn:caelus:failure:<code>' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.Optional(Type.String({ description: 'Path of the request.' })),
    code: Type.String({ description: 'PascalCase; listed in docs/reference/failures.md.' }),
    whose_move: Type.Enum([...MOVERS], { description: 'Who has to do something before this can succeed.' }),
    retryable: Type.Boolean({ description: 'Whether the same request can succeed later.' }),
    next_step: Type.String(),
    request_id: Type.String(),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          field: Type.String({
            description:
              'Which input was refused, such as `domainname` or `items[0].name`; in values of an app the pointer, such as `/user/replicas`.',
          }),
          message: Type.String(),
        }),
        { description: 'Every field that was refused.' },
      ),
    ),
  },
  { description: 'Why a request failed, whose move it is, and the next step.' },
)
export type Problem = Static<typeof Problem>
