import { Type, type Static } from 'typebox'
import { NOT_BLANK_PATTERN } from '../patterns.ts'
import { orNull, Timestamp } from '../words.ts'
import { Email } from './users.ts'

export const ORGANIZATION_ROLES = ['owner', 'member', 'viewer'] as const
export type OrganizationRole = (typeof ORGANIZATION_ROLES)[number]

const Role = Type.Enum([...ORGANIZATION_ROLES], {
  description: 'owner: changes members and the organization. member: uses it. viewer: reads.',
})
const Generation = Type.Integer({ description: 'Incremented by every change; the ETag for If-Match.' })

export const OrganizationView = Type.Object({
  id: Type.String(),
  name: Type.String(),
  members: Type.Integer({ description: 'Number of members.' }),
  role: orNull(Role, 'The role of the caller; null: an admin who is no member.'),
  generation: Generation,
  created_at: Timestamp,
})
export type OrganizationView = Static<typeof OrganizationView>

export const OrganizationCreate = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 100, pattern: NOT_BLANK_PATTERN }) },
  { additionalProperties: false },
)
export type OrganizationCreate = Static<typeof OrganizationCreate>

export const OrganizationPatch = Type.Partial(OrganizationCreate, { additionalProperties: false })
export type OrganizationPatch = Static<typeof OrganizationPatch>

export const MemberView = Type.Object({
  user_id: Type.String(),
  email: Type.String(),
  role: Role,
  generation: Generation,
  created_at: Timestamp,
})
export type MemberView = Static<typeof MemberView>

export const MemberCreate = Type.Object({ email: Email, role: Role }, { additionalProperties: false })
export type MemberCreate = Static<typeof MemberCreate>

export const MemberPatch = Type.Object({ role: Role }, { additionalProperties: false })
export type MemberPatch = Static<typeof MemberPatch>

export const InvitationView = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: Role,
  created_at: Timestamp,
  expires_at: Timestamp,
})
export type InvitationView = Static<typeof InvitationView>

export const InvitationCreate = Type.Object(
  {
    email: Email,
    role: Role,
    expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 90, description: 'Default: 7.' })),
  },
  { additionalProperties: false },
)
export type InvitationCreate = Static<typeof InvitationCreate>

export const InvitationCreated = Type.Object(
  {
    ...InvitationView.properties,
    token: Type.String({ description: 'Shown this once; only its hash is stored.' }),
    url: Type.String({ description: 'A page of the console that accepts the invitation. Caelus sends no email.' }),
  },
  { description: 'The only response that carries the token.' },
)
export type InvitationCreated = Static<typeof InvitationCreated>

export const InvitationAccept = Type.Object(
  { token: Type.String({ minLength: 1, maxLength: 200 }) },
  { additionalProperties: false },
)
export type InvitationAccept = Static<typeof InvitationAccept>
