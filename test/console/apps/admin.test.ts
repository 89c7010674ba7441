import { afterAll, expect, test } from 'vitest'
import { appsConsole, HELLO, type AppsConsole } from './world.ts'
import type { Trial } from '../../../src/domains/apps/index.ts'
import { closeBrowser } from '../world.ts'
import { signingKey } from '../../support/open-pgp.ts'

afterAll(closeBrowser)

const ADMIN = { admin: true } as const
const heading = (name: string) => ['heading', { name, level: 1, exact: true }] as const

/** An app of the tenant who signs in as a member. */
async function ordered(world: AppsConsole, productId: string, domainname: string) {
  const userId = await world.userId('member')
  const { templateId } = await world.apps.getProduct(ADMIN, productId)
  return world.apps.createDeployment({ userId, admin: false }, { userId, templateId: templateId ?? '', domainname })
}

test('an admin sees what another template would change, and moves an app to it', async () => {
  const world = await appsConsole()
  const productId = await world.publish('Hello static', HELLO)
  const { id, userId, desiredTemplateId } = await ordered(world, productId, 'hello.example.test')
  const next = await world.apps.publishTemplate(ADMIN, {
    productId,
    chartRef: HELLO,
    chartVersion: '0.1.0',
    versionLabel: 'winter',
    defaultValues: { user: { message: 'Warm greetings' } },
  })
  const path = `/apps/users/${userId}/deployments/${id}`
  const tenant = await world.signedIn(path, { role: 'member' })
  await tenant.getByRole(...heading('hello.example.test')).waitFor()
  await tenant.getByRole('link', { name: 'Change' }).waitFor()
  expect(await tenant.getByRole('button', { name: 'Upgrade' }).count()).toBe(0)

  const page = await world.signedIn(path)
  await page.getByRole('button', { name: 'Upgrade' }).click()
  const dialog = page.getByRole('dialog')
  const upgrade = dialog.getByRole('button', { name: 'Upgrade' })
  expect(await upgrade.isDisabled()).toBe(true)
  await dialog.getByRole('combobox', { name: 'Template' }).click()
  const winter = page.getByRole('option', { name: 'winter' })
  await winter.waitFor()
  expect(await page.getByRole('option').count()).toBe(1)
  await winter.click()
  await dialog.locator('ins').getByText('Warm greetings').first().waitFor()
  expect((await world.apps.getDeployment(ADMIN, { id })).desiredTemplateId).toBe(desiredTemplateId)
  await upgrade.click()
  await dialog.waitFor({ state: 'detached' })
  const { desiredTemplateId: now, generation } = await world.apps.getDeployment(ADMIN, { id })
  expect([now, generation]).toEqual([next.id, 2])
  await page.getByText('It was moved to another template', { exact: false }).waitFor()
})

test('an admin sees which apps are behind, and is offered the newer template with what it would change', async () => {
  const world = await appsConsole()
  const productId = await world.publish('Hello static', HELLO)
  const { id, userId } = await ordered(world, productId, 'old.example.test')
  const next = await world.apps.publishTemplate(ADMIN, {
    productId,
    chartRef: HELLO,
    chartVersion: '0.1.0',
    versionLabel: 'winter',
    defaultValues: { user: { message: 'Warm greetings' } },
    canonical: true,
  })
  await ordered(world, productId, 'new.example.test')

  const page = await world.signedIn('/apps/all')
  await page.getByText('new.example.test').waitFor()
  await page.getByText('winter (chart 0.1.0) is available').waitFor()
  await page.getByRole('checkbox', { name: 'Upgrade available' }).check()
  await page.getByText('new.example.test').waitFor({ state: 'detached' })
  await page.getByText('old.example.test').click()
  await page.getByText('chart 0.1.0; winter (chart 0.1.0) is available').waitFor()
  await page.getByRole('button', { name: 'Upgrade' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('ins').getByText('Warm greetings').first().waitFor()
  await dialog.getByRole('button', { name: 'Upgrade' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await world.apps.getDeployment(ADMIN, { id, userId })).desiredTemplateId).toBe(next.id)
  await page.goto(`${world.url}/apps/all?behind=true`)
  await page.getByText('Every app has the newest template').waitFor()
})

test('an admin renames a product, and deletes it without touching what was ordered', async () => {
  const world = await appsConsole()
  const productId = await world.publish('Hello static', HELLO, { description: 'A page.' })
  await world.publish('Notes', HELLO)
  await ordered(world, productId, 'hello.example.test')
  const page = await world.signedIn('/apps/products')
  await page.getByRole('row', { name: /Hello static/ }).click()
  await page.getByRole(...heading('Hello static')).waitFor()

  await page.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog')
  const name = dialog.getByRole('textbox', { name: 'Name' })
  await name.fill('NOTES')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.locator('[aria-invalid="true"]').waitFor()
  expect(await name.getAttribute('aria-invalid')).toBe('true')
  await name.fill('Greeting')
  await dialog.getByRole('textbox', { name: 'Description' }).fill('A friendly page.')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole(...heading('Greeting')).waitFor()
  await page.getByText('A friendly page.').waitFor()

  await page.getByRole('button', { name: 'Delete' }).click()
  const confirm = dialog.getByRole('button', { name: 'Delete product' })
  await dialog.getByRole('textbox').fill('Hello static')
  expect(await confirm.isDisabled()).toBe(true)
  await dialog.getByRole('textbox').fill('Greeting')
  await confirm.click()
  await page.getByRole('row', { name: /Notes/ }).waitFor()
  await page.getByRole('row', { name: /Greeting/ }).waitFor({ state: 'detached' })

  const tenant = await world.signedIn('/apps', { role: 'member' })
  await tenant.getByRole('row', { name: /hello.example.test/ }).waitFor()
  await tenant.getByRole('link', { name: 'Catalogue', exact: true }).click()
  await tenant.getByRole('link', { name: 'Notes' }).waitFor()
  expect(await tenant.getByRole('link', { name: 'Greeting' }).count()).toBe(0)
})

test('an admin sees what a chart would make, says where the domain goes, and publishes without what is refused', async () => {
  const world = await appsConsole()
  const product = await world.publish('Hello static', HELLO)
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'reader' } }
  const render: Trial['helm']['render'] = (_target, _chart, values) => {
    const { serverName = '', rbac } = values as { serverName?: string; rbac?: { create: boolean } }
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data: { host: serverName } }
    return Promise.resolve(rbac?.create === false ? [map] : [map, role])
  }
  const discovery = { all: () => Promise.resolve([]), resourceFor: () => Promise.resolve(undefined) }
  world.controlPlane.trial = { helm: { render }, discovery, ingressClass: 'nginx' }

  const page = await world.signedIn(`/apps/products/${product}/publish`)
  await page.getByRole('textbox', { name: 'Chart' }).fill(HELLO)
  await page.getByRole('textbox', { name: 'Version' }).fill('0.1.0')
  await page.getByRole('button', { name: 'Read the chart' }).click()
  await page.getByText('Every order would fail', { exact: true }).waitFor()
  await page.getByText('ClusterRole/reader').first().waitFor()
  const publish = page.getByRole('button', { name: 'Publish', exact: true })
  await expect.poll(() => publish.isDisabled()).toBe(true)

  await page.getByRole('button', { name: 'Values, and where things go in them' }).click()
  await page.getByRole('textbox', { name: 'Values of the template' }).fill('{"rbac":')
  await expect.poll(() => page.getByRole('button', { name: 'Read the chart' }).isDisabled()).toBe(true)
  await page.getByRole('textbox', { name: 'Values of the template' }).fill('{"rbac":{"create":false}}')
  await page.getByRole('textbox', { name: 'The domain goes to' }).fill('serverName')
  await page.getByRole('button', { name: 'Drift to ignore' }).click()
  const rules = page.getByRole('textbox', { name: 'Fields that are left to others' })
  await rules.fill('{"kind":"ConfigMap"}')
  await expect.poll(() => page.getByRole('button', { name: 'Read the chart' }).isDisabled()).toBe(true)
  await rules.fill('[{"kind":"ConfigMap","paths":["/metadata/uid"]}]')
  await page.getByRole('button', { name: 'Read the chart' }).click()
  await page.getByText('drift_ignore/0/paths/0').waitFor()
  await rules.fill('[{"kind":"ConfigMap","paths":["/data/host"]}]')
  await page.getByRole('button', { name: 'Read the chart' }).click()
  await page.getByText('ConfigMap/web data.host').waitFor()
  await page.getByRole('textbox', { name: 'Label' }).fill('narrow')
  await publish.click()
  await page.getByText('canonical', { exact: true }).waitFor()
  await page.getByText('ConfigMap /data/host').waitFor()
  const { templateId } = await world.apps.getProduct(ADMIN, product)
  expect(await world.apps.getTemplate(ADMIN, templateId ?? '')).toMatchObject({
    versionLabel: 'narrow',
    overrides: { rbac: { create: false } },
    layout: { domainPaths: ['/serverName'] },
    driftIgnore: [{ kind: 'ConfigMap', paths: ['/data/host'] }],
    inspection: { domainAt: ['ConfigMap/web data.host'] },
  })
})

test('an admin reviews objects of the whole cluster, grants one, and revokes it', async () => {
  const world = await appsConsole()
  const product = await world.publish('Hello static', HELLO)
  const render: Trial['helm']['render'] = ({ release }) => {
    const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['list'] }]
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: `${release}-reader` },
      rules,
    }
    return Promise.resolve([role])
  }
  const discovery = { all: () => Promise.resolve([]), resourceFor: () => Promise.resolve(undefined) }
  world.controlPlane.trial = { helm: { render }, discovery, ingressClass: 'nginx' }

  const page = await world.signedIn(`/apps/products/${product}/publish`)
  await page.getByRole('textbox', { name: 'Chart' }).fill(HELLO)
  await page.getByRole('textbox', { name: 'Version' }).fill('0.1.0')
  await page.getByRole('button', { name: 'Read the chart' }).click()
  const publish = page.getByRole('button', { name: 'Publish', exact: true })
  const grant = page.getByRole('checkbox', { name: 'ClusterRole/{release}-reader' })
  await grant.waitFor()
  await page.getByText('it reads the Secrets of everybody').waitFor()
  expect(await publish.isDisabled()).toBe(true)
  await grant.check()
  await page.getByText('Every order would fail', { exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('textbox', { name: 'Label' }).fill('granted')
  await publish.click()
  await page.getByText('canonical', { exact: true }).waitFor()
  const { templateId } = await world.apps.getProduct(ADMIN, product)
  const standing = async () =>
    ((await world.apps.getTemplate(ADMIN, templateId ?? '')).grants ?? [])
      .filter(({ revokedAt }) => revokedAt === null)
      .map(({ name }) => name)
  expect(await standing()).toEqual(['{release}-reader'])

  await page.getByRole('button', { name: 'Actions for granted' }).click()
  await page.getByRole('menuitem', { name: 'Grants' }).click()
  await page.getByRole('button', { name: 'Revoke ClusterRole/{release}-reader' }).click()
  await page.getByRole('button', { name: 'Grant ClusterRole/{release}-reader' }).waitFor()
  expect(await standing()).toEqual([])
  await page.getByRole('button', { name: 'Grant ClusterRole/{release}-reader' }).click()
  await page.getByRole('button', { name: 'Revoke ClusterRole/{release}-reader' }).waitFor()
  expect(await standing()).toEqual(['{release}-reader'])
})

test('an admin stores access to a private registry, changes it without its password, and deletes it', async () => {
  const world = await appsConsole()
  const page = await world.signedIn('/apps/sources')
  await page.getByText('Charts are fetched anonymously').waitFor()
  await page.getByRole('button', { name: 'New source' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Host' }).fill('https://registry.example.test')
  await dialog.getByRole('textbox', { name: 'User' }).fill('puller')
  await dialog.getByRole('textbox', { name: 'Password' }).fill('correct horse')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.locator('[aria-invalid="true"]').waitFor()
  await dialog.getByRole('textbox', { name: 'Host' }).fill('registry.example.test')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const row = page.getByRole('row', { name: /registry\.example\.test/ })
  await row.waitFor()
  const sources = async () => (await world.apps.listChartSources(ADMIN, { limit: 10 })).items
  expect(await sources()).toMatchObject([{ host: 'registry.example.test', username: 'puller' }])

  await row.getByRole('button').click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await dialog.getByRole('switch', { name: 'Charts must be signed' }).check({ force: true })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.locator('textarea[aria-invalid="true"]').waitFor()
  const { publicKey } = signingKey('Ada <ada@example.com>')
  await dialog.getByRole('textbox', { name: 'Keys that sign' }).fill(publicKey)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await row.getByText('by Ada <ada@example.com>').waitFor()
  expect(await sources()).toMatchObject([{ username: 'puller', verification: 'required' }])
  await row.getByRole('button').click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await dialog.getByRole('textbox').fill('registry.example.test')
  await dialog.getByRole('button', { name: 'Delete source' }).click()
  await page.getByText('Charts are fetched anonymously').waitFor()
  expect(await sources()).toEqual([])
})
