import { emailsOf, findUser } from './store/index.ts'

export { loginStore, tokenStore, type UserFilter } from './store/index.ts'
export { effectiveRole, hashOf, isGood, newTokenSecret, TOKEN_MARK } from './token.ts'
export type * from './types.ts'
export type { TenantUsage, Usage } from './usage.ts'
export { openIdentity } from './usecases/identity.ts'
export type * from './usecases/port.ts'

/** Users as the use cases of domains see them: in the transaction of a caller, whose rights decide. */
export const userDirectory = { find: findUser, emailsOf }
