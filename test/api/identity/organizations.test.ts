import { expect, test } from 'vitest'
import { world, type Person, type World } from '../world.ts'

type Answer = Awaited<ReturnType<World['as']>>

const call =
  (w: World) =>
  (
    by: Person,
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    payload?: object,
    headers = {},
  ): Promise<Answer> =>
    w.as(by.secret, { method, url: `/api/v1${path}`, headers, ...(payload && { payload }) })

test('an organization is created once per Idempotency-Key, changed under If-Match, and deleted', async () => {
  await using w = await world()
  const ada = await w.person('member')
  const act = call(w)
  const create = () => act(ada, 'POST', '/organizations', { name: 'Acme' }, { 'idempotency-key': 'k1' })
  const [first, second] = [await create(), await create()]
  expect([first.statusCode, second.statusCode, second.headers['idempotency-replayed']]).toEqual([201, 201, 'true'])
  const { id } = first.json()
  expect(second.json()).toEqual(first.json())
  expect(first.json()).toMatchObject({ name: 'Acme', role: 'owner', members: 1, generation: 1 })

  const path = `/organizations/${id}`
  const { etag } = (await act(ada, 'GET', path)).headers
  const renamed = await act(ada, 'PATCH', path, { name: 'Acme Corp' }, { 'if-match': etag })
  expect([renamed.statusCode, renamed.headers.etag]).toEqual([200, '"2"'])
  const late = await act(ada, 'PATCH', path, { name: 'X' }, { 'if-match': etag })
  expect([late.statusCode, late.json().code]).toEqual([412, 'ChangedMeanwhile'])
  expect((await act(ada, 'DELETE', path, undefined, { 'if-match': etag })).statusCode).toBe(412)
  expect((await act(ada, 'DELETE', path)).statusCode).toBe(204)
  expect((await act(ada, 'GET', path)).statusCode).toBe(404)
})

test('a user who is not a member gets 404 for everything of an organization, a viewer 403 for what owners do', async () => {
  await using w = await world()
  const [ada, eve, root] = [
    await w.person('member'),
    await w.person('member', 'eve@example.test'),
    await w.person('admin'),
  ]
  const act = call(w)
  const { id } = (await act(ada, 'POST', '/organizations', { name: 'Acme' })).json()
  const path = `/organizations/${id}`
  const requests = [
    ['GET', path],
    ['GET', `${path}/members`],
    ['GET', `${path}/invitations`],
    ['PATCH', path, { name: 'Mine' }],
    ['DELETE', path],
    ['POST', `${path}/members`, { email: 'eve@example.test', role: 'owner' }],
    ['PATCH', `${path}/members/${ada.userId}`, { role: 'viewer' }],
    ['DELETE', `${path}/members/${ada.userId}`],
    ['POST', `${path}/invitations`, { email: 'eve@example.test', role: 'owner' }],
    ['DELETE', `${path}/invitations/${id}`],
  ] as const
  const codes = async (by: Person): Promise<number[]> => {
    const seen: number[] = []
    for (const [method, url, payload] of requests) {
      const answer = await act(by, method, url, payload)
      if (answer.statusCode >= 400) expect(answer.headers['content-type']).toContain('application/problem+json')
      seen.push(answer.statusCode)
    }
    return seen
  }
  expect(await codes(eve)).toEqual(requests.map(() => 404))
  expect((await act(root, 'POST', `${path}/members`, { email: 'eve@example.test', role: 'viewer' })).statusCode).toBe(
    201,
  )
  expect(await codes(eve)).toEqual([200, 200, 403, 403, 403, 403, 403, 403, 403, 403])
})

test('an invited person joins with the token, and the token is in no log line and in no list', async () => {
  await using w = await world()
  const [ada, bob] = [await w.person('member'), await w.person('member', 'bob@example.test')]
  const act = call(w)
  const { id } = (await act(ada, 'POST', '/organizations', { name: 'Acme' })).json()
  const path = `/organizations/${id}`
  const invited = await act(ada, 'POST', `${path}/invitations`, { email: 'bob@example.test', role: 'member' })
  expect(invited.statusCode).toBe(201)
  const { token, url, expires_at: expiresAt } = invited.json()
  expect(url).toBe(`http://127.0.0.1:8080/organizations/accept#${token}`)
  expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(6 * 86_400_000)
  expect((await act(ada, 'GET', `${path}/invitations`)).body).not.toContain(token)

  const accept = (by: Person) => act(by, 'POST', '/invitations:accept', { token })
  expect((await accept(ada)).json()).toMatchObject({ status: 404, code: 'InvitationInvalid' })
  expect((await accept(bob)).json()).toMatchObject({ id, role: 'member', members: 2 })
  expect((await accept(bob)).json()).toMatchObject({ id, role: 'member', members: 2 })
  const other = await accept(await w.person('member', 'eve@example.test'))
  expect([other.statusCode, other.json().code]).toEqual([404, 'InvitationInvalid'])
  expect(w.log.join('')).not.toContain(token)

  const demoted = await act(ada, 'PATCH', `${path}/members/${ada.userId}`, { role: 'viewer' })
  expect([demoted.statusCode, demoted.json().code]).toEqual([409, 'LastOwner'])
  expect((await act(ada, 'PATCH', `${path}/members/${bob.userId}`, { role: 'owner' })).statusCode).toBe(200)
  expect((await act(ada, 'DELETE', `${path}/members/${ada.userId}`)).statusCode).toBe(204)
  expect((await act(ada, 'GET', path)).statusCode).toBe(404)
})

test('lists are paged by a cursor that neither repeats nor skips', async () => {
  await using w = await world()
  const ada = await w.person('member')
  const act = call(w)
  for (const name of ['a', 'b', 'c', 'd', 'e']) await act(ada, 'POST', '/organizations', { name })
  const seen: string[] = []
  for (let cursor = ''; ;) {
    const page = (await act(ada, 'GET', `/organizations?limit=2${cursor}`)).json()
    seen.push(...page.items.map(({ name }: { name: string }) => name))
    if (page.next_cursor === null) break
    cursor = `&cursor=${page.next_cursor}`
  }
  expect(seen).toEqual(['e', 'd', 'c', 'b', 'a'])
  expect((await act(ada, 'GET', '/organizations?cursor=abc')).statusCode).toBe(400)
})

test.each([
  ['a blank name', '/organizations', { name: '   ' }],
  ['a name that cannot be stored', '/organizations', { name: 'a\0b' }],
  ['an unknown field', '/organizations', { name: 'x', quota: 7 }],
  ['an unknown role', '/organizations/ID/invitations', { email: 'x@example.test', role: 'root' }],
  [
    'an invitation for ever',
    '/organizations/ID/invitations',
    { email: 'x@example.test', role: 'member', expires_in_days: 9999 },
  ],
  ['an id that is none', `/organizations/' or 1=1/invitations`, { email: 'x@example.test', role: 'member' }],
])('%s is refused with 400', async (_, path, payload) => {
  await using w = await world()
  const ada = await w.person('member')
  const act = call(w)
  const { id } = (await act(ada, 'POST', '/organizations', { name: 'Acme' })).json()
  const answer = await act(ada, 'POST', encodeURI(path.replace('ID', id)), payload)
  expect([answer.statusCode, answer.json().code]).toEqual([400, 'InvalidRequest'])
})
