import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { closeBrowser, consoleWorld, fitsPhone, PHONE, picture, type ConsoleWorld } from '../world.ts'

afterAll(closeBrowser)

const heading = (name: string) => ['heading', { name, level: 1, exact: true }] as const

async function actor(world: ConsoleWorld, email: string) {
  const user = await world.api.parts.users.signIn({ subject: `dev#${email}`, email, isVerified: true, role: 'member' })
  return { userId: user?.id ?? '', admin: false }
}

const act = async (page: Page, email: string, action: string): Promise<void> => {
  await page.getByRole('button', { name: `Actions for ${email}` }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

test('a member creates an organization, invites others, changes roles and leaves', async () => {
  const world = await consoleWorld()
  const { identity } = world.api.parts
  const page = await world.signedIn('/organizations', { role: 'member' })
  await page.getByText('You belong to no organization').waitFor()
  await page.getByRole('button', { name: 'New organization' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Acme')
  await dialog.getByRole('button', { name: 'Create organization' }).click()
  await page.getByRole(...heading('Acme')).waitFor()
  await page.getByRole('row', { name: /member@example.test.*owner/ }).waitFor()

  await page.getByRole('link', { name: 'Invitations' }).click()
  await page.getByText('There are no open invitations').waitFor()
  await page.getByRole('button', { name: 'Invite' }).click()
  await dialog.getByRole('textbox', { name: 'Email' }).fill('bob@example.test')
  await dialog.getByRole('button', { name: 'Create invitation' }).click()
  const link = (await dialog.locator('[data-secret]').textContent()) ?? ''
  expect(link).toContain('/organizations/accept#cinv_')
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('row', { name: /bob@example.test.*member/ }).waitFor()
  await picture(page, 'organization-invitations')

  const bob = await actor(world, 'bob@example.test')
  await page.getByRole('link', { name: 'Members', exact: true }).click()
  await page.getByRole('row', { name: /bob@example.test.*member/ }).waitFor()
  await act(page, 'bob@example.test', 'Make owner')
  await page.getByRole('row', { name: /bob@example.test.*owner/ }).waitFor()
  await picture(page, 'organization-members')
  await page.setViewportSize(PHONE)
  await fitsPhone(page)
  await page.setViewportSize({ width: 1360, height: 900 })

  await act(page, 'member@example.test', 'Leave')
  await dialog.getByRole('textbox').fill('Acme')
  await dialog.getByRole('button', { name: 'Leave organization' }).click()
  await page.getByText('You belong to no organization').waitFor()
  const { items } = await identity.listOrganizations(bob, { limit: 10 })
  expect(items).toMatchObject([{ name: 'Acme', members: 1, role: 'owner' }])
})

test('the last owner sees why the role cannot change; renaming and deleting work', async () => {
  const world = await consoleWorld()
  const { identity } = world.api.parts
  const owner = await actor(world, 'member@example.test')
  const { id } = await identity.createOrganization(owner, { name: 'Acme' })
  await identity.createOrganization(owner, { name: 'Umbrella' })
  const page = await world.signedIn('/organizations', { role: 'member' })
  await page.getByRole('row', { name: /Acme/ }).click()
  await act(page, 'member@example.test', 'Make viewer')
  await page.getByText('is the last owner of Acme', { exact: false }).waitFor()

  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Rename' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('umbrella')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('belongs to another organization').waitFor()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Acme Corp')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole(...heading('Acme Corp')).waitFor()

  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('textbox').fill('Acme Corp')
  await dialog.getByRole('button', { name: 'Delete organization' }).click()
  await page.getByRole(...heading('Organizations')).waitFor()
  await page.getByRole('row', { name: /Umbrella/ }).waitFor()
  await page.getByRole('row', { name: /Acme/ }).waitFor({ state: 'detached' })
  await page.goto(`${world.url}/organizations/${id}`)
  await page.getByText('There is no organization called', { exact: false }).waitFor()
})

/** Of what is on the screen, when no change was heard. */
const WITHOUT_POLL = `
  const every = window.setInterval
  window.setInterval = (fn, ms, ...args) => (ms === 15_000 ? 0 : every(fn, ms, ...args))`

test('pages of organizations show what others change, without a poll', async () => {
  const world = await consoleWorld()
  const { identity } = world.api.parts
  const owner = await actor(world, 'ada@example.test')
  const admin = { admin: true } as const
  const page = await world.signedIn('/', { role: 'member' })
  await page.addInitScript(WITHOUT_POLL)
  await page.goto(`${world.url}/organizations`)
  await page.getByText('You belong to no organization').waitFor()

  const { id } = await identity.createOrganization(owner, { name: 'Acme' })
  const { userId } = await identity.addMember(admin, id, { email: 'member@example.test', role: 'viewer' })
  await page.getByRole('row', { name: /Acme/ }).click()
  await page.getByRole('row', { name: /member@example.test.*viewer/ }).waitFor()
  await identity.updateOrganization(owner, id, { name: 'Acme Corp' })
  await page.getByRole(...heading('Acme Corp')).waitFor()
  await identity.updateMember(owner, id, userId, 'owner')
  await page.getByRole('row', { name: /member@example.test.*owner/ }).waitFor()
  await page.getByRole('link', { name: 'Invitations' }).click()
  await page.getByText('There are no open invitations').waitFor()
  await identity.invite(owner, id, { email: 'eve@example.test', role: 'viewer', expiresAt: Date.now() + 3_600_000 })
  await page.getByRole('row', { name: /eve@example.test/ }).waitFor()
  await identity.removeMember(owner, id, userId)
  await page.getByText('There is no organization called', { exact: false }).waitFor()
})

test('the link of an invitation joins the invited user, and says when it is not valid', async () => {
  const world = await consoleWorld()
  const { identity } = world.api.parts
  const owner = await actor(world, 'ada@example.test')
  const { id } = await identity.createOrganization(owner, { name: 'Acme' })
  const pathFor = async (email: string): Promise<string> => {
    const { secret } = await identity.invite(owner, id, { email, role: 'viewer', expiresAt: Date.now() + 3_600_000 })
    return `/organizations/accept#${secret}`
  }
  const forAnother = await pathFor('else@example.test')
  const page = await world.signedIn(forAnother, { role: 'member' })
  await page.getByText('You join as member@example.test.').waitFor()
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByText('it is for another email than yours', { exact: false }).waitFor()
  const own = await pathFor('member@example.test')
  // From another page: a change of the fragment alone does not load the page again.
  await page.goto(`${world.url}/organizations`)
  await page.goto(`${world.url}${own}`)
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole(...heading('Acme')).waitFor()
  await page.getByRole('row', { name: /member@example.test.*viewer/ }).waitFor()
  expect(await page.getByRole('link', { name: 'Invitations' }).count()).toBe(0)
  await page.goto(`${world.url}/organizations/accept`)
  await page.getByText('The link of the invitation is incomplete').waitFor()

  // The login with the invited email has accepted the invitation already; the link still leads there.
  const admin = await world.signedIn(await pathFor('admin@example.test'))
  await admin.getByRole('button', { name: 'Join' }).click()
  await admin.getByRole('row', { name: /admin@example.test.*viewer/ }).waitFor()
})

test('an admin creates a user, makes an admin of them, and deletes them', async () => {
  const world = await consoleWorld()
  const page = await world.signedIn('/users')
  await page.getByRole('button', { name: 'New user' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Email' }).fill('ada@example.test')
  await dialog.getByRole('button', { name: 'Create user' }).click()
  await page.getByRole('row', { name: /ada@example.test.*member/ }).waitFor()
  await act(page, 'ada@example.test', 'Make an admin')
  await page.getByRole('row', { name: /ada@example.test.*admin/ }).waitFor()
  await picture(page, 'users')
  await act(page, 'ada@example.test', 'Delete')
  await dialog.getByRole('textbox').fill('ada@example.test')
  await dialog.getByRole('button', { name: 'Delete user' }).click()
  await page.getByRole('row', { name: /ada@example.test/ }).waitFor({ state: 'detached' })

  const member = await world.signedIn('/organizations', { role: 'member' })
  const menu = member.getByRole('navigation', { name: 'Main' })
  await menu.getByRole('link', { name: 'Organizations' }).waitFor()
  expect(await menu.getByRole('link', { name: 'Users' }).count()).toBe(0)
})
