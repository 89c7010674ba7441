import { RefusedFields } from '../../../kernel/index.ts'
import { asUser, violates, type Actor } from '../../../store/index.ts'
import { raise } from '../failures.ts'
import type { Listed } from '../../../store/index.ts'
import {
  changeUser,
  findUser,
  insertUser,
  listUsers as listRows,
  lockUser,
  removeUser,
  type ListedUser,
  type UserFilter,
} from '../store/index.ts'
import { found, needsAdmin, note, refuseUnstorable } from './guard.ts'
import type { UserInput } from './port.ts'
import type { UseCaseDeps } from './deps.ts'

const objectOf = (id: string) => ({ kind: 'User', id })

export async function listUsers({ pool }: UseCaseDeps, actor: Actor, filter: UserFilter): Promise<Listed<ListedUser>> {
  refuseUnstorable({ email: filter.email })
  return await asUser(pool, actor, (tx) => listRows(tx, filter))
}

export const getUser = ({ pool }: UseCaseDeps, actor: Actor, id: string): Promise<ListedUser> =>
  asUser(pool, actor, async (tx) => found(await findUser(tx, id), 'user', id))

export async function createUser({ pool }: UseCaseDeps, actor: Actor, input: UserInput): Promise<ListedUser> {
  needsAdmin(actor, 'create users')
  refuseUnstorable({ email: input.email })
  return await asUser(pool, actor, async (tx) => {
    const id = await insertUser(tx, { email: input.email, isAdmin: input.isAdmin ?? false })
    if (id === undefined) throw emailTaken(input.email)
    const user = found(await findUser(tx, id), 'user', id)
    await note(tx, actor, { action: 'created', object: objectOf(id), after: contentsOf(user) })
    return user
  })
}

export async function updateUser(
  { pool }: UseCaseDeps,
  actor: Actor,
  id: string,
  input: Partial<UserInput>,
): Promise<ListedUser> {
  needsAdmin(actor, 'change users')
  refuseUnstorable({ email: input.email })
  return await asUser(pool, actor, async (tx) => {
    const before = found(await lockUser(tx, id), 'user', id)
    const after = { email: input.email ?? before.email, isAdmin: input.isAdmin ?? before.isAdmin }
    await changeUser(tx, id, after).catch((error: unknown) => {
      throw violates(error, 'user_email') ? emailTaken(after.email) : error
    })
    await note(tx, actor, { action: 'changed', object: objectOf(id), before: contentsOf(before), after })
    return { ...before, ...after }
  })
}

export async function deleteUser({ pool }: UseCaseDeps, actor: Actor, id: string): Promise<void> {
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
