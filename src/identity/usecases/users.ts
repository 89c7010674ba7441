import { RefusedFields } from '../../kernel/index.ts'
import {
  asUser,
  checkGeneration,
  found,
  needsAdmin,
  note,
  refuseUnstorable,
  violates,
  type Actor,
  type Listed,
  type Precondition,
  type Tx,
} from '../../store/index.ts'
import { raise } from '../failures.ts'
import {
  changeUser,
  findUser,
  insertUser,
  listUsers as listRows,
  lockAdmins,
  lockUser,
  removeUser,
  solelyOwned,
  type UserFilter,
} from '../store/index.ts'
import type { User } from '../types.ts'
import { objectsText, totalUsage } from '../usage.ts'
import type { IdentityDeps, ListedUser, UserInput } from './port.ts'

/** The object and tenant of an audit row about a user. */
const about = (id: string) => ({ object: { kind: 'User', id }, tenant: id })

export async function listUsers(deps: IdentityDeps, actor: Actor, filter: UserFilter): Promise<Listed<ListedUser>> {
  refuseUnstorable({ email: filter.email })
  return await asUser(deps.pool, actor, async (tx) => {
    const { items, next } = await listRows(tx, filter)
    return { items: await withUsage(deps, tx, items), next }
  })
}

export const getUser = (deps: IdentityDeps, actor: Actor, id: string): Promise<ListedUser> =>
  asUser(deps.pool, actor, async (tx) => oneWithUsage(deps, tx, found(await findUser(tx, id), 'user', id)))

export async function createUser(deps: IdentityDeps, actor: Actor, input: UserInput): Promise<ListedUser> {
  needsAdmin(actor, 'create users')
  refuseUnstorable({ email: input.email })
  return await asUser(deps.pool, actor, async (tx) => {
    const id = await insertUser(tx, { email: input.email, isAdmin: input.isAdmin ?? false })
    if (id === undefined) throw emailTaken(input.email)
    const user = found(await findUser(tx, id), 'user', id)
    await note(tx, actor, { action: 'created', ...about(id), after: contentsOf(user) })
    return await oneWithUsage(deps, tx, user)
  })
}

export async function updateUser(
  deps: IdentityDeps,
  actor: Actor,
  id: string,
  input: Partial<UserInput>,
  precondition: Precondition = {},
): Promise<ListedUser> {
  needsAdmin(actor, 'change users')
  refuseUnstorable({ email: input.email })
  return await asUser(deps.pool, actor, async (tx) => {
    if (input.isAdmin === false) await keepAnAdmin(tx, id)
    const before = found(await lockUser(tx, id), 'user', id)
    checkGeneration(before.generation, precondition)
    const after = { email: input.email ?? before.email, isAdmin: input.isAdmin ?? before.isAdmin }
    await changeUser(tx, id, after).catch((error: unknown) => {
      throw violates(error, 'user_email') ? emailTaken(after.email) : error
    })
    await note(tx, actor, { action: 'changed', ...about(id), before: contentsOf(before), after })
    return await oneWithUsage(deps, tx, found(await findUser(tx, id), 'user', id))
  })
}

export async function deleteUser(
  deps: IdentityDeps,
  actor: Actor,
  id: string,
  precondition: Precondition = {},
): Promise<void> {
  needsAdmin(actor, 'delete users')
  await asUser(deps.pool, actor, async (tx) => {
    await keepAnAdmin(tx, id)
    const user = found(await lockUser(tx, id), 'user', id)
    checkGeneration(user.generation, precondition)
    const { usage } = await oneWithUsage(deps, tx, user)
    const inTheWay = objectsText(usage)
    if (inTheWay !== '') throw raise.UserInUse(`${user.email} has ${inTheWay}`)
    const alone = await solelyOwned(tx, id)
    if (alone.length > 0) throw raise.LastOwner(`${user.email} is the last owner of ${alone.join(', ')}`)
    await removeUser(tx, id).catch((error: unknown) => {
      throw violates(error, 'organization_has_owner') ? raise.LastOwner(`${user.email} is a last owner`) : error
    })
    await note(tx, actor, { action: 'deleted', ...about(id), before: contentsOf(user) })
  })
}

/** Refuses to take the last admin away: no user could make another one. */
async function keepAnAdmin(tx: Tx, id: string): Promise<void> {
  const [first, ...others] = await lockAdmins(tx)
  if (first === id && others.length === 0) {
    throw raise.LastAdmin(`${found(await findUser(tx, id), 'user', id).email} is the last admin`)
  }
}

async function withUsage({ usage }: IdentityDeps, tx: Tx, users: readonly User[]): Promise<ListedUser[]> {
  const ids = users.map(({ id }) => id)
  const usageOf = await totalUsage(usage, tx, ids)
  return users.map((user) => ({ ...user, usage: usageOf(user.id) }))
}

async function oneWithUsage({ usage }: IdentityDeps, tx: Tx, user: User): Promise<ListedUser> {
  return { ...user, usage: (await totalUsage(usage, tx, [user.id]))(user.id) }
}

const contentsOf = ({ email, isAdmin }: User): Pick<User, 'email' | 'isAdmin'> => ({ email, isAdmin })

const emailTaken = (email: string): Error =>
  new RefusedFields(
    [{ field: 'email', message: 'belongs to another user' }],
    raise.EmailTaken(`there is a user with the email ${email} already`),
  )
