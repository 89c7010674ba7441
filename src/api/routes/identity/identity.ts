import type { App, ServerParts } from '../../app.ts'
import { invitationRoutes } from './invitations.ts'
import { loginRoutes } from './login.ts'
import { meRoutes } from './me.ts'
import { memberRoutes } from './members.ts'
import { organizationRoutes } from './organizations.ts'
import { tokenRoutes } from './tokens.ts'
import { userRoutes } from './users.ts'

const ALL = [meRoutes, loginRoutes, tokenRoutes, userRoutes, organizationRoutes, memberRoutes, invitationRoutes]

/** Login, tokens, users and organizations. */
export function identityRoutes(app: App, parts: ServerParts): void {
  for (const add of ALL) add(app, parts)
}
