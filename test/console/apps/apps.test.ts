import { afterAll, expect, test } from 'vitest'
import type { ResourceView } from '../../../src/api/contract/index.ts'
import { appsConsole, HELLO } from './world.ts'
import { WORKSHOP } from './workshop-schema.ts'
import { closeBrowser, fitsPhone, PHONE, picture } from '../world.ts'

afterAll(closeBrowser)

const heading = (name: string) => ['heading', { name, level: 1, exact: true }] as const

test('a tenant orders an app, sees it become ready, changes it and deletes it', async () => {
  const world = await appsConsole()
  await world.publish('Hello static', HELLO, {
    description: 'A page with a message, served by nginx from its own volume.',
  })
  const page = await world.signedIn('/apps', { role: 'member' })
  await page.getByText('No app was ordered yet').waitFor()
  await page.getByRole('link', { name: 'Open the catalogue' }).click()
  await page.getByRole('link', { name: 'Hello static' }).click()
  await page.getByText('A page with a message').waitFor()
  await page.getByRole('link', { name: 'Order' }).click()

  await page.getByRole('textbox', { name: 'Domain' }).fill('not a.domain')
  await page.getByText('may hold letters, digits and hyphens only').waitFor()
  await page.getByRole('textbox', { name: 'Domain' }).fill('hello.example.test')
  await page.getByRole('textbox', { name: 'Message' }).fill('Guten Tag')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('2 objects are created').waitFor()
  await picture(page, 'apps-order')
  await page.getByRole('button', { name: 'Order', exact: true }).click()

  await page.getByRole(...heading('hello.example.test')).waitFor()
  await page.getByText('Ordered', { exact: true }).first().waitFor()
  await world.report({ status: 'provisioning' })
  await page.getByText('Being set up').waitFor()
  await world.report({ status: 'ready' })
  await page.getByText('Ready', { exact: true }).waitFor()

  await page.getByRole('link', { name: 'Change' }).click()
  await page.getByRole('textbox', { name: 'Message' }).fill('Gute Nacht')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.locator('ins').getByText('Gute Nacht').first().waitFor()
  await page.locator('del').getByText('Guten Tag').first().waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole(...heading('hello.example.test')).waitFor()
  await page.getByText('Gute Nacht').waitFor()

  await page.getByRole('button', { name: 'Delete' }).click()
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete app' })
  expect(await confirm.isDisabled()).toBe(true)
  await page.getByRole('dialog').getByRole('textbox').fill('hello.example.test')
  await confirm.click()
  await page.getByRole('list', { name: 'Deletion' }).waitFor()
  await world.report({ status: 'deleted' })
  await page.getByText('Deleted', { exact: true }).waitFor()
})

test('a tenant sees what an app was, what going back would change, and goes back', async () => {
  const world = await appsConsole()
  await world.publish('Hello static', HELLO)
  const page = await world.signedIn('/apps', { role: 'member' })
  const [userId, { items }] = [
    await world.userId('member'),
    await world.apps.listProducts({ admin: true }, { limit: 1 }),
  ]
  const actor = { userId, admin: false }
  const input = { userId, templateId: items[0]?.templateId ?? '', domainname: 'hello.example.test' }
  const { id } = await world.apps.createDeployment(actor, { ...input, userValues: { message: 'Guten Tag' } })
  await world.report({ status: 'ready', helm_revision: 1 })
  await world.apps.updateDeployment(actor, { id }, { userValues: { message: 'Gute Nacht' } })
  await world.report({ status: 'ready', helm_revision: 2 })

  world.controlPlane.notes = { revision: 2, text: 'Visit http://hello.example.test\nand say hello.' }
  await page.getByText('hello.example.test').first().click()
  await page.getByLabel('Notes of the chart').getByText('and say hello.').waitFor()
  await world.report({ applied_template_id: input.templateId })
  const saving = page.waitForEvent('download')
  await page.getByRole('link', { name: 'manifest' }).click()
  expect((await saving).suggestedFilename()).toMatch(/-manifest\.yaml$/)
  const history = page.getByRole('list', { name: 'Changes of this app' })
  await history.getByText('Changed: message').waitFor()
  await history.getByText('Ordered').waitFor()
  expect(await history.getByRole('button').count()).toBe(1)
  await history.getByRole('button', { name: 'Roll back to 1' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('ins').getByText('Guten Tag').first().waitFor()
  await dialog.getByRole('button', { name: 'Roll back' }).click()
  await history.getByText('Back to 1; changed: message').waitFor()
  expect((await world.apps.getDeployment(actor, { id })).userValues).toEqual({ message: 'Guten Tag' })
})

test('a form has every kind of field, follows its conditions, and shows refusals at their field', async () => {
  const world = await appsConsole()
  const product = await world.publish('Workshop', await world.formChart(WORKSHOP, { size: 's', memory: 256 }))
  const page = await world.signedIn(`/apps/catalogue/${product}/order`, { role: 'member' })
  await page.getByRole('textbox', { name: 'Domain' }).fill('workshop.example.test')
  await page.getByRole('button', { name: 'Preview' }).click()
  const title = page.getByRole('textbox', { name: 'Title' })
  await expect.poll(() => title.getAttribute('aria-invalid')).toBe('true')
  await title.fill('Weaving')
  expect(await page.getByLabel('Memory').inputValue()).toBe('256 MiB')

  await page.getByText('search', { exact: true }).click()
  await page.getByRole('button', { name: 'Add further host' }).click()
  await page.getByRole('textbox', { name: 'Further host 1' }).fill('weave.example.test')
  await page.getByRole('textbox', { name: 'Server' }).fill('mail.example.test')
  await page.getByRole('textbox', { name: 'Password' }).fill('s3cret-of-mine')
  await page.getByRole('button', { name: 'Add editor' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Ada')
  await page.getByRole('combobox', { name: 'Kind of storage' }).click()
  await page.getByRole('option', { name: 'Bucket' }).click()
  await page.getByRole('textbox', { name: 'Name of the bucket' }).fill('yarn')
  expect(await page.getByRole('textbox', { name: 'Schedule' }).count()).toBe(0)
  await page.getByRole('switch', { name: 'Backups' }).check()
  await page.getByRole('textbox', { name: 'Schedule' }).fill('0 3 * * *')
  await page.evaluate('scrollTo(0, 260)')
  await picture(page, 'apps-form')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('2 objects are created').waitFor()
  expect(await page.getByRole('main').innerText()).not.toContain('s3cret-of-mine')
  await page.getByRole('button', { name: 'Order', exact: true }).click()
  await page.getByRole(...heading('workshop.example.test')).waitFor()
  await page.getByText('stored, never shown').waitFor()
  await page.getByText('Editors › 1 › Name').waitFor()

  await page.getByRole('link', { name: 'Change' }).click()
  await page.getByText('A value is stored. It cannot be shown.').waitFor()
  await page.getByText('Remove', { exact: true }).click()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole(...heading('workshop.example.test')).waitFor()
  await page.getByText('Editors › 1 › Name').waitFor()
  await page.getByText('stored, never shown').waitFor({ state: 'detached' })
})

test('a domain that somebody else has is refused at its field', async () => {
  const world = await appsConsole()
  const product = await world.publish('Hello static', HELLO)
  const page = await world.signedIn(`/apps/catalogue/${product}/order`, { role: 'member' })
  const order = async (): Promise<void> => {
    await page.getByRole('textbox', { name: 'Domain' }).fill('taken.example.test')
    await page.getByRole('button', { name: 'Preview' }).click()
  }
  await order()
  await page.getByRole('button', { name: 'Order', exact: true }).click()
  await page.getByRole(...heading('taken.example.test')).waitFor()

  await page.goto(`${world.url}/apps/catalogue/${product}/order`)
  await order()
  await page.locator('[aria-invalid="true"]').waitFor()
  expect(await page.getByRole('textbox', { name: 'Domain' }).getAttribute('aria-invalid')).toBe('true')
})

const resource = (
  kind: string,
  name: string,
  parent: string | null,
  more: Partial<ResourceView> = {},
): ResourceView => ({
  id: `${kind}/${name}`,
  kind,
  name,
  parent,
  health: 'ready',
  message: '',
  since: new Date(Date.now() - 95_000).toISOString(),
  events: [],
  ...more,
})

test('a failure says why, whose move it is and what is broken, in light, in dark and on a narrow screen', async () => {
  const world = await appsConsole()
  const product = await world.publish('Hello static', HELLO)
  const userId = await world.userId('member')
  const { templateId } = await world.apps.getProduct({ admin: true }, product)
  const { id } = await world.apps.createDeployment(
    { userId, admin: false },
    { userId, templateId: templateId ?? '', domainname: 'hello.example.test', userValues: { message: 'Guten Tag' } },
  )
  world.controlPlane.resources = [
    resource('Ingress', 'hello', null),
    resource('Service', 'hello', null),
    resource('PersistentVolumeClaim', 'hello-data', null),
    resource('Deployment', 'hello', null, { health: 'failing', message: '0 of 1 replicas are available' }),
    resource('ReplicaSet', 'hello-7d9c5', 'Deployment/hello', { health: 'progressing' }),
    resource('Pod', 'hello-7d9c5-x2x', 'ReplicaSet/hello-7d9c5', {
      health: 'failing',
      message: 'container nginx waits: ImagePullBackOff',
      events: [
        {
          at: new Date(Date.now() - 40_000).toISOString(),
          type: 'Warning',
          reason: 'Failed',
          message: 'Failed to pull image "nginx:1.29": not found',
          count: 4,
        },
      ],
    }),
  ]
  world.controlPlane.explanation = {
    why: ['it was never applied yet', 'it cannot go on: image nginx:1.29 cannot be pulled (ImageNeverReady)'],
    next: 'nothing, until the deployment or its template changes',
    at: null,
    whoseMove: 'operator',
    nextStep: 'Check that the image exists and that the nodes may pull it.',
    blockers: [],
  }
  await world.report({
    status: 'error',
    last_error: {
      code: 'ImageNeverReady',
      message: 'image nginx:1.29 cannot be pulled: not found',
      whoseMove: 'operator',
      retryable: false,
      nextStep: 'Check that the image exists and that the nodes may pull it.',
    },
  })
  const page = await world.signedIn(`/apps/users/${userId}/deployments/${id}`, { role: 'member' })
  await page.getByText('It cannot go on', { exact: true }).waitFor()
  await page.getByText('Failed to pull image').waitFor()
  await page.getByText('Message', { exact: true }).waitFor()
  await picture(page, 'apps-detail')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
  await picture(page, 'apps-detail-dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(PHONE)
  await fitsPhone(page)
  await picture(page, 'apps-detail-narrow')
})

test('what blocks a deletion is named', async () => {
  const world = await appsConsole()
  const product = await world.publish('Hello static', HELLO)
  const userId = await world.userId('member')
  const { templateId } = await world.apps.getProduct({ admin: true }, product)
  const actor = { userId, admin: false }
  const domainname = 'hello.example.test'
  const { id } = await world.apps.createDeployment(actor, { userId, templateId: templateId ?? '', domainname })
  await world.apps.deleteDeployment(actor, { id })
  world.controlPlane.explanation = {
    ...world.controlPlane.explanation,
    blockers: ['PersistentVolumeClaim data waits for finalizer example.com/hold'],
  }
  const page = await world.signedIn(`/apps/users/${userId}/deployments/${id}`, { role: 'member' })
  await page.getByRole('list', { name: 'Deletion' }).getByText('finalizer example.com/hold').waitFor()
  await picture(page, 'apps-deletion')
})

const CATALOGUE = [
  ['Hello static', 'A page with a message, served by nginx from its own volume.'],
  ['Ledger', 'Keeps entries in a volume, and migrates them before it changes.'],
  ['Status page', 'Tells the world what works and what does not. Two replicas, nothing to set.'],
] as const

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" rx="10" fill="#5b8def"/>
<path d="M10 16h28M10 24h28M10 32h28M16 10v28M24 10v28M32 10v28" stroke="#fff" stroke-width="3"/></svg>`

test('an admin makes a product, reads a chart, sees its form, publishes it, and sees it in the catalogue', async () => {
  const world = await appsConsole()
  const chart = await world.formChart(WORKSHOP, { size: 's', memory: 256 })
  const page = await world.signedIn('/apps/products')
  await page.getByText('There are no products').waitFor()
  await page.getByRole('button', { name: 'New product' }).click()
  await page.getByLabel('Name').fill('Workshop')
  await page.getByLabel('Description').fill('A place to weave.')
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'icon.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(ICON) })
  await page.getByRole('dialog').locator('img').waitFor()
  await page.getByRole('button', { name: 'Create product' }).click()
  await page.getByRole(...heading('Workshop')).waitFor()

  await page.getByRole('link', { name: 'Publish a template' }).first().click()
  await page.getByRole('textbox', { name: 'Chart' }).fill(chart)
  await page.getByRole('textbox', { name: 'Version' }).fill('0.1.0')
  await page.getByRole('button', { name: 'Read the chart' }).click()
  await page.getByRole('textbox', { name: 'Title' }).waitFor()
  await picture(page, 'apps-publish')
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByText('canonical', { exact: true }).waitFor()

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Apps' }).click()
  await page.getByRole('link', { name: 'Catalogue', exact: true }).click()
  await page.getByRole('link', { name: 'Workshop' }).waitFor()
  for (const [name, description] of CATALOGUE) await world.publish(name, HELLO, { description })
  await page.getByRole('link', { name: 'Status page' }).waitFor()
  await picture(page, 'apps-catalogue')
  await page.getByLabel('Search products').fill('weave')
  await expect.poll(() => page.getByRole('main').getByRole('listitem').count()).toBe(1)
})

test('an admin sees the queue, gives up a job, requeues it, and freezes its tenant', async () => {
  const world = await appsConsole()
  const product = await world.publish('Hello static', HELLO)
  const userId = await world.userId('member')
  const { templateId } = await world.apps.getProduct({ admin: true }, product)
  const actor = { userId, admin: false }
  const domainname = 'hello.example.test'
  await world.apps.createDeployment(actor, { userId, templateId: templateId ?? '', domainname })
  const page = await world.signedIn('/apps/queue')
  await page.getByRole('row', { name: /member@example.test.*create.*Queued/ }).waitFor()
  const act = async (row: RegExp | string, action: string): Promise<void> => {
    await page.getByRole('button', { name: row }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  await act(/Actions for hello-static/, 'Give up')
  await page.getByRole('dialog').getByRole('textbox').fill('the chart is being replaced')
  await page.getByRole('dialog').getByRole('button', { name: 'Give up' }).click()
  await page.getByRole('row', { name: /Given up/ }).waitFor()
  const state = page.getByRole('combobox', { name: 'State' })
  const choose = async (name: string): Promise<void> => {
    await state.click()
    await page.getByRole('option', { name }).click()
  }
  const asked = page.waitForResponse((answer) => answer.url().includes('/reconcile-jobs?status=done'))
  await choose('Done')
  expect((await (await asked).json()) as { items: unknown[] }).toMatchObject({ items: [] })
  await page.getByText('No job is done').waitFor()
  expect(new URL(page.url()).search).toBe('?status=done')
  await choose('Given up')
  await act(/Actions for hello-static/, 'Requeue')
  await page.getByText('No job is given up').waitFor()
  await choose('Queued')
  await page.getByRole('row', { name: /Queued/ }).waitFor()
  await act(/Actions for hello-static/, 'Freeze the tenant')
  await page.getByRole('dialog').getByRole('textbox').fill('loops')
  await page.getByRole('dialog').getByRole('button', { name: 'Freeze' }).click()
  await page.getByRole('row', { name: /Frozen.*when unfrozen/ }).waitFor()
  await picture(page, 'apps-queue')

  await page.getByRole('link', { name: 'Users' }).click()
  await act('Actions for member@example.test', 'Unfreeze')
  await page.getByRole('row', { name: /member@example.test.*Active/ }).waitFor()
})
