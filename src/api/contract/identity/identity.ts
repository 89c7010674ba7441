import { Type, type Static } from 'typebox'
import { NOT_BLANK_PATTERN } from '../patterns.ts'
import { Email } from './users.ts'
import { MaybeTimestamp, ROLES, Timestamp } from '../words.ts'

export const Me = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    role: Type.Enum([...ROLES]),
    auth: Type.Enum(['dev', 'oidc', 'token'], { description: 'How this request proved who makes it.' }),
  },
  { description: 'Who makes this request.' },
)
export type Me = Static<typeof Me>

export const LoginMethods = Type.Object(
  { dev: Type.Boolean(), oidc: Type.Boolean() },
  { description: 'The ways to log in at this moment, from this place.' },
)
export type LoginMethods = Static<typeof LoginMethods>

export const DevLogin = Type.Object(
  {
    email: Email,
    role: Type.Optional(Type.Enum([...ROLES], { description: 'Default: member.' })),
  },
  { additionalProperties: false },
)
export type DevLogin = Static<typeof DevLogin>

export const TokenView = Type.Object({
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String({ description: 'The first characters, to recognize it; the rest is stored as a hash.' }),
  role: Type.Enum([...ROLES]),
  created_at: Timestamp,
  expires_at: MaybeTimestamp,
  last_used_at: MaybeTimestamp,
})
export type TokenView = Static<typeof TokenView>

export const TokenCreate = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, pattern: NOT_BLANK_PATTERN }),
    role: Type.Enum([...ROLES], { description: "At most one's own." }),
    expires_in_days: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 3650 }), Type.Null()], {
        description:
          'Absent or null: does not expire. A request with a token that expires creates one that expires with it, or earlier.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type TokenCreate = Static<typeof TokenCreate>

export const TokenCreated = Type.Object(
  { ...TokenView.properties, secret: Type.String({ description: 'Shown this once; only its hash is kept.' }) },
  { description: 'The only answer that ever carries the secret.' },
)
export type TokenCreated = Static<typeof TokenCreated>
