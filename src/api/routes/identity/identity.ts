import type { App, ServerParts } from '../../app.ts'
import { loginRoutes } from './login.ts'
import { meRoutes } from './me.ts'
import { tokenRoutes } from './tokens.ts'
import { userRoutes } from './users.ts'

const ALL = [meRoutes, loginRoutes, tokenRoutes, userRoutes]

/** Login, tokens and users. */
export function identityRoutes(app: App, parts: ServerParts): void {
  for (const add of ALL) add(app, parts)
}
