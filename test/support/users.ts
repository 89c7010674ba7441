import { openIdentity } from '../../src/identity/index.ts'
import type { Pool } from '../../src/store/index.ts'

/** Creates a user; returns the id. */
export const createUser = async (pool: Pool, email: string): Promise<string> =>
  (await openIdentity({ pool, usage: [] }).createUser({ admin: true }, { email })).id
