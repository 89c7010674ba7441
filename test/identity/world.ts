import { failureOf } from '../../src/kernel/index.ts'
import {
  loginStore,
  openIdentity,
  type IdentityUseCases,
  type Logins,
  type TenantUsage,
} from '../../src/identity/index.ts'
import type { Actor } from '../../src/store/index.ts'
import { freshDatabase, type TestDatabase } from '../support/postgres.ts'

type Person = Actor & { readonly userId: string; readonly email: string }

export interface IdentityWorld extends AsyncDisposable {
  readonly database: TestDatabase
  readonly identity: IdentityUseCases
  readonly logins: Logins
  readonly admin: Person
  readonly ann: Person
  readonly bob: Person
  readonly eve: Person
  /** An organization of ann. */
  organization(name?: string): Promise<string>
}

/** Four users on a fresh database, through the login of the API. */
export async function identityWorld(usage: readonly TenantUsage[] = []): Promise<IdentityWorld> {
  const database = await freshDatabase()
  const pool = database.openPool({ role: 'caelus_api' })
  const identity = openIdentity({ pool, usage })
  const logins = loginStore(pool)
  const person = async (name: string, role: 'admin' | 'member'): Promise<Person> => {
    const email = `${name}@example.org`
    const user = await logins.signIn({ subject: `test#${name}`, email, isVerified: true, role })
    if (user === undefined) throw new Error(`failed to create ${email}`)
    return { userId: user.id, admin: role === 'admin', email }
  }
  const ann = await person('ann', 'member')
  return {
    database,
    identity,
    logins,
    ann,
    admin: await person('root', 'admin'),
    bob: await person('bob', 'member'),
    eve: await person('eve', 'member'),
    organization: async (name = 'Acme') => (await identity.createOrganization(ann, { name })).id,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

/** The code of the failure that a promise ended in, or `done`. */
export const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'done',
    (error: unknown) => failureOf(error).code,
  )
