import { expect, test } from 'vitest'
import type { EventView } from '../../../src/api/contract/index.ts'
import { publishLive } from '../live.ts'
import { listening, stream, type Listening } from '../stream.ts'
import type { Person } from '../world.ts'

/** The end of what a stream is compared up to. */
const MARK = { topic: 'status', kind: 'Mark', object_id: 'mark', reason: 'set', message: '', tone: 'info' } as const

/** The open stream of a user. */
async function follow(w: Listening, { secret }: Person, lastId?: string) {
  const events = await stream(w, secret, lastId)
  await events.next('heartbeat')
  let last = lastId
  /** Kind and reason of what comes until the wanted one. */
  const until = async (wanted: string): Promise<string[]> => {
    const seen: string[] = []
    while (seen.at(-1) !== wanted) {
      const fields = await events.next('change')
      if (fields === undefined) throw new Error(`the stream ended before ${wanted}`)
      const { kind, reason, id } = JSON.parse(fields['data'] ?? '') as EventView
      last = id
      seen.push(`${kind} ${reason}`)
    }
    return seen
  }
  return { until, lastId: () => last }
}

async function liveWorld() {
  const w = await listening()
  const stop = await publishLive(w)
  const [ada, bob, eve, root] = await Promise.all(
    (['member', 'member', 'member', 'admin'] as const).map((role, n) => w.person(role, `user${n}@example.test`)),
  )
  if (!ada || !bob || !eve || !root) throw new Error('expected four users')
  const owner = { userId: ada.userId, admin: false }
  return {
    w,
    ada,
    bob,
    eve,
    root,
    owner,
    join: (id: string) =>
      w.parts.identity.addMember({ userId: root.userId, admin: true }, id, {
        email: 'user1@example.test',
        role: 'viewer',
      }),
    rename: (id: string, name: string) => w.parts.identity.updateOrganization(owner, id, { name }),
    mark: () => w.parts.events.publish(MARK, 'all'),
    async [Symbol.asyncDispose]() {
      await stop()
      await w[Symbol.asyncDispose]()
    },
  }
}

test('an open stream has the events of an organization from joining it to leaving it', async () => {
  await using live = await liveWorld()
  const { w, ada, bob, eve, root, owner } = live
  const { identity } = w.parts
  const adas = await follow(w, ada)
  const bobs = await follow(w, bob)
  const eves = await follow(w, eve)
  const roots = await follow(w, root)

  const { id } = await identity.createOrganization(owner, { name: 'Acme' })
  await adas.until('Member created')
  await live.rename(id, 'Acme 1')
  await adas.until('Organization changed')
  live.mark()
  expect(await bobs.until('Mark set')).toEqual(['Mark set'])

  await live.join(id)
  expect(await bobs.until('Member created')).toEqual(['Member created'])
  await live.rename(id, 'Acme 2')
  expect(await bobs.until('Organization changed')).toEqual(['Organization changed'])
  await identity.invite(owner, id, { email: 'x@example.test', role: 'viewer', expiresAt: Date.now() + 60_000 })
  expect(await bobs.until('Invitation created')).toEqual(['Invitation created'])

  await identity.removeMember(owner, id, bob.userId)
  expect(await bobs.until('Member deleted')).toEqual(['Member deleted'])
  const lastId = bobs.lastId()
  await live.rename(id, 'Acme 3')
  await adas.until('Member deleted')
  await adas.until('Organization changed')
  live.mark()
  expect(await bobs.until('Mark set')).toEqual(['Mark set'])
  expect(await eves.until('Mark set')).toEqual(['Mark set'])
  expect(await eves.until('Mark set')).toEqual(['Mark set'])
  expect(await (await follow(w, bob, lastId)).until('Mark set')).toEqual(['Mark set'])
  expect(await roots.until('Member deleted')).toContain('Invitation created')
})

test('an open stream has no more events of an organization that was deleted', async () => {
  await using live = await liveWorld()
  const { w, bob, owner } = live
  const { identity, events } = w.parts
  const { id } = await identity.createOrganization(owner, { name: 'Acme' })
  await live.join(id)
  const bobs = await follow(w, bob)
  const ofTenant = (): void => events.publish({ ...MARK, kind: 'Cluster' }, { tenants: [id] })
  ofTenant()
  await bobs.until('Cluster set')
  await identity.deleteOrganization(owner, id)
  await bobs.until('Organization deleted')
  ofTenant()
  live.mark()
  expect(await bobs.until('Mark set')).toEqual(['Mark set'])
})

test('the list of events has those of the organizations that the caller belongs to now', async () => {
  await using live = await liveWorld()
  const { w, ada, bob, owner } = live
  const { identity, events } = w.parts
  const kinds = async ({ secret }: Person): Promise<string[]> =>
    (await w.as(secret, { url: '/api/v1/events' })).json<{ items: EventView[] }>().items.map(({ kind }) => kind)
  const { id } = await identity.createOrganization(owner, { name: 'Acme' })
  events.publish({ ...MARK, kind: 'Cluster' }, { tenants: [id] })
  expect(await kinds(ada)).toContain('Cluster')
  expect(await kinds(bob)).not.toContain('Cluster')
  await live.join(id)
  expect(await kinds(bob)).toContain('Cluster')
})

test('a stream whose tenants cannot be read is closed', async () => {
  await using w = await listening()
  const { secret } = await w.person('member')
  const events = await stream(w, secret)
  await events.next('heartbeat')
  Object.assign(w.parts.identity, { listTenants: () => Promise.reject(new Error('the database is away')) })
  w.parts.events.changeTenants()
  expect(await events.next('change')).toBeUndefined()
  expect(w.log.join()).toContain('Event stream closed')
})
