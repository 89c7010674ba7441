// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import type { Me, MemberView, OrganizationView, UserView } from '../../lib/api/contract.ts'
import { forgetInvitationToken, keepInvitationToken } from '../../lib/invitation-token.ts'
import { render, type Answers } from '../../testing/render.tsx'
import { OrganizationsPage } from './OrganizationsPage.tsx'
import { UsersPage } from './UsersPage.tsx'

const created_at = '2030-01-01T00:00:00.000Z'
const acme: OrganizationView = { id: 'o1', name: 'Acme', members: 2, role: 'owner', generation: 1, created_at }
const member = (name: string): MemberView => ({
  user_id: name,
  email: `${name}@example.test`,
  role: 'owner',
  generation: 1,
  created_at,
})
const user = (name: string): UserView => ({
  id: name,
  email: `${name}@example.test`,
  is_admin: false,
  generation: 1,
  deployments: 0,
  frozen: false,
  created_at,
})
const page = <T,>(...items: T[]) => ({ items, next_cursor: null })

const refusal = (detail: string, errors?: { field: string; message: string }[]) => () =>
  Response.json(
    {
      type: 'about:blank',
      title: 'Refused',
      status: 409,
      detail,
      code: 'Refused',
      whose_move: 'user',
      retryable: false,
      next_step: 'Choose another.',
      request_id: 'r1',
      ...(errors && { errors }),
    },
    { status: 409 },
  )

const organizations = (answers: Answers, path = '/organizations/o1', role: Me['role'] = 'member') =>
  render(<OrganizationsPage />, {
    path,
    answers: {
      'GET /me': { id: 'ada', email: 'ada@example.test', role, auth: 'dev' },
      'GET /organizations': page(acme),
      'GET /organizations/o1': acme,
      'GET /organizations/o1/members': page(member('ada'), member('bob')),
      'GET /organizations/o1/invitations': page(),
      ...answers,
    },
  })

type Screen = Awaited<ReturnType<typeof organizations>>

const act = async (screen: Screen, name: string, action: string): Promise<void> => {
  await screen.click('button', `Actions for ${name}@example.test`)
  await screen.click('[role="menuitem"]', action)
}

/** Types what the dialog asks for, confirms, and closes it once the refusal is shown. */
const confirmInVain = async (screen: Screen, name: string): Promise<void> => {
  await screen.type('[role="dialog"] input', name)
  await screen.click('[role="dialog"] button[type="submit"]')
  await screen.until(() => screen.text().includes('refused once'))
  await screen.click('[role="dialog"] button', 'Cancel')
}

test('admins who change their own role see what that role may see', async () => {
  using screen = await render(<UsersPage />, {
    answers: {
      'GET /me': { id: 'ada', email: 'ada@example.test', role: 'admin', auth: 'dev' },
      'GET /users': page(user('ada'), user('bob')),
      'PATCH /users/ada': user('ada'),
      'PATCH /users/bob': user('bob'),
    },
  })
  await screen.until(() => screen.text().includes('2 users'))
  const asked = (): number => screen.requests.filter((request) => request === 'GET /me').length
  await act(screen, 'bob', 'Make an admin')
  await screen.until(() => screen.requests.includes('PATCH /users/bob'))
  expect(asked()).toBe(1)
  await act(screen, 'ada', 'Make an admin')
  await screen.until(() => asked() === 2)
})

test('an admin sets what a user may order: how many apps, and which domains are theirs alone', async () => {
  const domains = [{ suffix: 'old.test', user_id: 'bob', email: 'bob@example.test', created_at }]
  using screen = await render(<UsersPage />, {
    answers: {
      'GET /users': page(user('bob')),
      'GET /users/bob/deployment-limit': { most: 50, is_default: true, deployments: 3 },
      'PUT /users/bob/deployment-limit': { most: 5, is_default: false, deployments: 3 },
      'GET /domains': () => page(...domains),
      'POST /domains': refusal('shop.test belongs to eve@example.test already'),
      'DELETE /domains/old.test': () => {
        domains.splice(0)
        return new Response(null, { status: 204 })
      },
    },
  })
  await screen.until(() => screen.text().includes('1 user'))
  await act(screen, 'bob', 'Limits')
  await screen.until(() => screen.text().includes('Has 3.') && screen.text().includes('old.test'))
  await screen.type('input[inputmode="numeric"]', '5')
  await screen.click('button', 'Set')
  await screen.until(() => screen.requests.includes('PUT /users/bob/deployment-limit'))
  await screen.type('input[placeholder="shop.example.com"]', 'shop.test')
  await screen.click('button', 'Assign')
  await screen.until(() => screen.text().includes('shop.test belongs to eve@example.test already'))
  await screen.click('button', 'Take old.test back')
  await screen.until(() => screen.text().includes('No domain belongs to this user alone'))
})

test('a dialog does not show what was refused in the dialog before: users', async () => {
  using screen = await render(<UsersPage />, {
    answers: { 'GET /users': page(user('ada'), user('bob')), 'DELETE /users/ada': refusal('refused once') },
  })
  await screen.until(() => screen.text().includes('2 users'))
  await act(screen, 'ada', 'Delete')
  await confirmInVain(screen, 'ada@example.test')
  await act(screen, 'bob', 'Delete')
  expect(screen.text()).toContain('Type bob@example.test to confirm')
  expect(screen.text()).not.toContain('refused once')
})

test('a dialog does not show what was refused in the dialog before: members', async () => {
  using screen = await organizations({ 'DELETE /organizations/o1/members/bob': refusal('refused once') })
  await screen.until(() => screen.text().includes('2 members'))
  await act(screen, 'bob', 'Remove')
  await confirmInVain(screen, 'bob@example.test')
  await act(screen, 'ada', 'Leave')
  expect(screen.text()).toContain('Type Acme to confirm')
  expect(screen.text()).not.toContain('refused once')
})

test('a dialog does not show what was refused in the dialog before: organizations', async () => {
  using screen = await organizations({ 'DELETE /organizations/o1': refusal('refused once') })
  await screen.until(() => screen.text().includes('2 members'))
  await screen.click('button', 'Delete')
  await confirmInVain(screen, 'Acme')
  await screen.click('button', 'Delete')
  expect(screen.text()).toContain('Type Acme to confirm')
  expect(screen.text()).not.toContain('refused once')
})

test('an invitation shows a refused email at its field, and the link once', async () => {
  let refused = true
  const message = 'must be an email address'
  const made = { id: 'i1', email: 'eve@example.test', role: 'member', created_at, expires_at: created_at }
  using screen = await organizations(
    {
      'POST /organizations/o1/invitations': () =>
        refused
          ? refusal('wrong', [{ field: 'email', message }])()
          : { ...made, token: 'cinv_1', url: 'http://127.0.0.1/organizations/accept#cinv_1' },
    },
    '/organizations/o1/invitations',
  )
  await screen.until(() => screen.text().includes('There are no open invitations'))
  await screen.click('button', 'Invite')
  await screen.type('input[type="email"]', 'eve@example')
  await screen.click('button[type="submit"]')
  await screen.until(() => screen.text().includes(message))
  expect(screen.text()).not.toContain('Choose another.')
  refused = false
  await screen.click('button[type="submit"]')
  await screen.until(() => screen.text().includes('Copy the link now'))
  expect(screen.find('[data-secret]').textContent).toBe('http://127.0.0.1/organizations/accept#cinv_1')
  expect(screen.text()).toContain('Anyone who opens it joins Acme.')
})

test.each([
  ['member', 'You belong to no organization'],
  ['admin', 'There are no organizations'],
] as const)('the empty list names its reason: %s', async (role, text) => {
  using screen = await organizations({ 'GET /organizations': page() }, '/organizations', role)
  await screen.until(() => screen.text().includes(text))
})

test.each([
  ['deleted', async (screen: Screen) => screen.click('button', 'Delete'), 'Delete organization'],
  ['left', async (screen: Screen) => act(screen, 'ada', 'Leave'), 'Leave organization'],
])('the page of an organization that was %s does not read it again', async (_, open, submit) => {
  using screen = await organizations({
    'DELETE /organizations/o1': () => new Response(null, { status: 204 }),
    'DELETE /organizations/o1/members/ada': () => new Response(null, { status: 204 }),
  })
  await screen.until(() => screen.text().includes('2 members'))
  await open(screen)
  await screen.type('[role="dialog"] input', 'Acme')
  const before = screen.requests.length
  await screen.click('[role="dialog"] button[type="submit"]', submit)
  await screen.until(() => screen.text().includes('1 organization'))
  expect(screen.requests.slice(before).filter((request) => request.startsWith('GET /organizations/'))).toEqual([])
})

test('an invitation that is not valid leaves nothing to press', async () => {
  keepInvitationToken({ pathname: '/organizations/accept', hash: '#cinv_1' })
  using screen = await organizations(
    { 'POST /invitations:accept': refusal('the invitation is unknown') },
    '/organizations/accept',
  )
  await screen.until(() => screen.text().includes('You join as ada@example.test.'))
  await screen.click('button', 'Join')
  await screen.until(() => screen.text().includes('the invitation is unknown'))
  expect(screen.text()).not.toContain('Join')
  forgetInvitationToken()
})
