import { Type, type Static } from 'typebox'
import { EMAIL_PATTERN } from '../patterns.ts'
import { Timestamp } from '../words.ts'

export const UserView = Type.Object({
  id: Type.String(),
  email: Type.String(),
  is_admin: Type.Boolean(),
  deployments: Type.Integer({ description: 'Deployments that are not deleted.' }),
  frozen: Type.Boolean({ description: 'True: no object of the user is reconciled until an admin unfreezes it.' }),
  generation: Type.Integer({ description: 'Incremented by every change of email or role; also in ETag.' }),
  created_at: Timestamp,
})
export type UserView = Static<typeof UserView>

export const Email = Type.String({ minLength: 3, maxLength: 254, pattern: EMAIL_PATTERN })

export const UserCreate = Type.Object(
  { email: Email, is_admin: Type.Optional(Type.Boolean({ description: 'Default: false.' })) },
  { additionalProperties: false },
)
export type UserCreate = Static<typeof UserCreate>

export const UserPatch = Type.Partial(UserCreate, { additionalProperties: false })
export type UserPatch = Static<typeof UserPatch>
