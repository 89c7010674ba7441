import { RefusedFields } from '../../../kernel/index.ts'
import { asUser, violates, type Actor } from '../../../store/index.ts'
import { raise } from '../failures.ts'
import {
  changeUser,
  findUser,
  insertUser,
  listUsers as listRows,
  lockUser,
  removeUser,
  type Listed,
  type ListedUser,
  type UserFilter,
} from '../store/index.ts'
import { found, needsAdmin, note, refuseUnstorable } from './guard.ts'
import type { UserWish } from './port.ts'
import type { Room } from './deps.ts'

const objectOf = (id: string) => ({ kind: 'User', id })

export async function listUsers({ pool }: Room, actor: Actor, filter: UserFilter): Promise<Listed<ListedUser>> {
  refuseUnstorable({ email: filter.email })
  return await asUser(pool, actor, (tx) => listRows(tx, filter))
}

export const getUser = ({ pool }: Room, actor: Actor, id: string): Promise<ListedUser> =>
  asUser(pool, actor, async (tx) => found(await findUser(tx, id), 'user', id))

export async function createUser({ pool }: Room, actor: Actor, wish: UserWish): Promise<ListedUser> {
  needsAdmin(actor, 'create users')
  refuseUnstorable({ email: wish.email })
  return await asUser(pool, actor, async (tx) => {
    const id = await insertUser(tx, { email: wish.email, isAdmin: wish.isAdmin ?? false })
    if (id === undefined) throw emailTaken(wish.email)
    const user = found(await findUser(tx, id), 'user', id)
    await note(tx, actor, { action: 'created', object: objectOf(id), after: contentsOf(user) })
    return user
  })
}

export async function updateUser(
  { pool }: Room,
  actor: Actor,
  id: string,
  wish: Partial<UserWish>,
): Promise<ListedUser> {
  needsAdmin(actor, 'change users')
  refuseUnstorable({ email: wish.email })
  return await asUser(pool, actor, async (tx) => {
    const before = found(await lockUser(tx, id), 'user', id)
    const after = { email: wish.email ?? before.email, isAdmin: wish.isAdmin ?? before.isAdmin }
    await changeUser(tx, id, after).catch((error: unknown) => {
      throw violates(error, 'user_email') ? emailTaken(after.email) : error
    })
    await note(tx, actor, { action: 'changed', object: objectOf(id), before: contentsOf(before), after })
    return { ...before, ...after }
  })
}

export async function deleteUser({ pool }: Room, actor: Actor, id: string): Promise<void> {
  needsAdmin(actor, 'delete users')
  await asUser(pool, actor, async (tx) => {
    const user = found(await lockUser(tx, id), 'user', id)
    if (user.deployments > 0) throw raise.UserInUse(`${user.email} has ${user.deployments} deployments`)
    await removeUser(tx, id)
    await note(tx, actor, { action: 'deleted', object: objectOf(id), before: contentsOf(user) })
  })
}

const contentsOf = ({ email, isAdmin }: ListedUser): Pick<ListedUser, 'email' | 'isAdmin'> => ({ email, isAdmin })

const emailTaken = (email: string): Error =>
  new RefusedFields(
    [{ field: 'email', message: 'belongs to another user' }],
    raise.EmailTaken(`there is a user with the email ${email} already`),
  )
