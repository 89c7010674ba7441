import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import type { ClusterInput } from '../../../src/domains/clusters/usecases/index.ts'
import { placeApp, sayStatus } from '../../clusters/placed-app.ts'
import { closeBrowser, emailOf, fitsPhone, PHONE, picture } from '../world.ts'
import { clustersConsole, type ClustersConsole } from './world.ts'

afterAll(closeBrowser)

const heading = (name: string) => ['heading', { name, level: 1, exact: true }] as const

const status = (page: Page, cluster: string) => page.getByRole(...heading(cluster)).locator('..')

const POOL = { name: 'default', machineType: 'local', autoscaleMin: 1, autoscaleMax: 3 }
const order = (name: string, more: Partial<ClusterInput> = {}): ClusterInput => ({
  name,
  region: 'eu-west',
  kubernetesVersion: '1.34',
  nodePools: [POOL],
  ...more,
})

/** Somebody who signs in with this role, before they do. */
async function userOf({ api }: ClustersConsole, role: 'admin' | 'member') {
  const email = emailOf(role)
  const user = await api.parts.users.signIn({ subject: `dev#${email}`, email, isVerified: true, role })
  if (user === undefined) throw new Error(`failed to make user ${email}`)
  return { userId: user.id, admin: role === 'admin' }
}

test(
  'a member creates an organization, orders a cluster, changes it and deletes it',
  { timeout: 300_000 },
  async () => {
    const { signedIn } = await clustersConsole()
    const page = await signedIn('/clusters', { role: 'member', acceptDownloads: true })
    await page.getByText('You belong to no organization').waitFor()
    await page.getByRole('button', { name: 'New organization' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('Shop')
    await page.getByRole('button', { name: 'Create organization' }).click()
    await page.getByText('Clusters of Shop').waitFor()
    await page.getByText('Gardener is simulated').waitFor()

    await page.getByRole('link', { name: 'New cluster' }).first().click()
    const name = page.getByRole('textbox', { name: 'Name' }).first()
    await name.fill('Not A Name')
    await page.getByRole('combobox', { name: 'Region' }).click()
    await page.getByRole('option', { name: 'eu-west' }).click()
    await page.getByText('This would be refused').waitFor()
    await page.getByText('lower case letters, digits and hyphens, with a letter first').first().waitFor()
    await name.fill('prod')
    await page.getByText(/accepts this/).waitFor()
    expect(await page.getByRole('combobox', { name: 'Kubernetes version' }).inputValue()).toBe('1.35.4')
    await page.getByRole('combobox', { name: 'Kubernetes version' }).click()
    await page.getByRole('option', { name: '1.34.3' }).click()
    await page.getByRole('checkbox', { name: 'Choose the maintenance window' }).check()
    await page.getByText(/accepts this/).waitFor()
    await picture(page, 'clusters-create')
    await page.getByRole('button', { name: 'Create cluster' }).click()

    await page.getByRole(...heading('prod')).waitFor()
    await status(page, 'prod').getByText('Ready', { exact: true }).waitFor()
    await page.getByText('True, ControlPlaneRunning').waitFor()
    await page.getByText('1, sent to Gardener').waitFor()

    await page.getByRole('button', { name: 'Kubeconfig' }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('dialog').getByRole('button', { name: 'Download' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('prod.kubeconfig.yaml')
    expect(await readFile(await download.path(), 'utf8')).toContain('"kind":"Config"')
    await page.getByText('Downloaded. It expires on').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()

    const sections = page.getByRole('navigation', { name: 'prod' })
    await sections.getByRole('link', { name: 'Node pools' }).click()
    await page.getByRole('row', { name: /workers.*2 CPU, 8Gi.*1–3/ }).waitFor()
    await page.getByRole('button', { name: 'Add node pool' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('gpu')
    await dialog.getByRole('combobox', { name: 'Machine type' }).click()
    await page.getByRole('option', { name: /local-gpu/ }).click()
    await dialog.getByText('Gardener accepts this').waitFor()
    await dialog.getByText('added: 1–3 machines').waitFor()
    await picture(page, 'clusters-node-pool')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('row', { name: /gpu.*8 CPU, 1 GPU, 64Gi/ }).waitFor()

    await sections.getByRole('link', { name: 'Maintenance' }).click()
    await status(page, 'prod').getByText('Ready', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Upgrade to 1.35.4' }).click()
    await dialog.getByText('Gardener accepts this').waitFor()
    await dialog.getByText('changed: 1–3 machines, each replaced, at most 4 at once').first().waitFor()
    await dialog.getByText(/fields? of the Shoot change/).waitFor()
    await picture(page, 'clusters-upgrade')
    await dialog.getByRole('button', { name: 'Upgrade', exact: true }).click()
    await page.getByText('The cluster has version 1.35.4').waitFor()
    await status(page, 'prod').getByText('Ready', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Start rotation' }).click()
    await dialog.getByRole('button', { name: 'Start rotation' }).click()
    await page.getByText('Action required: renew kubeconfigs and tokens').waitFor()
    await page.getByRole('button', { name: 'Complete rotation' }).waitFor()
    await picture(page, 'clusters-maintenance')
    await page.getByRole('button', { name: 'Complete rotation' }).click()
    await dialog.getByRole('button', { name: 'Complete rotation' }).click()
    await page.getByText('The last rotation is complete.').waitFor()
    await status(page, 'prod').getByText('Ready', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Hibernate' }).click()
    await dialog.getByText('Gardener accepts this').waitFor()
    await dialog.getByRole('button', { name: 'Hibernate' }).click()
    await page.getByRole('button', { name: 'Wake up' }).waitFor()

    await sections.getByRole('link', { name: 'History' }).click()
    await page.getByText('sync succeeded').first().waitFor()
    await picture(page, 'clusters-history')

    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('textbox').fill('prod')
    await dialog.getByRole('button', { name: 'Delete cluster' }).click()
    await page
      .getByText(/There is no cluster/)
      .or(status(page, 'prod').getByText('Deleted', { exact: true }))
      .waitFor()
  },
)

test(
  'clusters are listed by organization with live progress, and an error is retried',
  { timeout: 180_000 },
  async () => {
    const world = await clustersConsole({ stepMs: 1_000 })
    const { clusters, identity, fail, heal, signedIn } = world
    const admin = await userOf(world, 'admin')
    const [shop, research] = [
      await identity.createOrganization(admin, { name: 'Shop' }),
      await identity.createOrganization(admin, { name: 'Research' }),
    ]
    await clusters.createCluster(admin, shop.id, order('prod'))
    const page = await signedIn('/clusters', { role: 'admin' })
    await page.getByRole('row', { name: /prod.*Shop.*eu-west.*1\.34\.3.*Ready/ }).waitFor()
    const training = await clusters.createCluster(admin, research.id, order('training'))
    await fail(training.id, {
      state: 'Failed',
      description: "quota 'GPUS_ALL_REGIONS' exceeded, limit 0 globally",
      codes: ['ERR_INFRA_QUOTA_EXCEEDED'],
    })
    await page.getByRole('row', { name: /training.*Research.*Error/ }).waitFor()
    await clusters.createCluster(admin, shop.id, order('staging', { nodePools: [{ ...POOL, autoscaleMax: 8 }] }))
    await page.getByRole('progressbar', { name: 'Progress of staging' }).waitFor()
    await page.getByText('Clusters of all organizations').waitFor()
    await picture(page, 'clusters-list')
    await page.getByRole('row', { name: /staging.*Ready.*1–8/ }).waitFor()

    await page.getByRole('combobox', { name: 'Organization' }).click()
    await page.getByRole('option', { name: 'Research' }).click()
    await page.getByText('Clusters of Research').waitFor()
    await page.getByText('1 cluster', { exact: true }).waitFor()
    expect(new URL(page.url()).searchParams.get('organization')).toBe(research.id)
    await page.getByRole('link', { name: 'Overview', exact: true }).click()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Clusters' }).click()
    await page.getByText('Clusters of Research').waitFor()

    await page.getByRole('button', { name: 'training' }).click()
    await page.getByText('Gardener gave up').waitFor()
    await page.getByText('InfrastructureQuota').first().waitFor()
    await page.getByText('ERR_INFRA_QUOTA_EXCEEDED').first().waitFor()
    await picture(page, 'clusters-detail')
    await page.emulateMedia({ colorScheme: 'dark' })
    await picture(page, 'clusters-detail-dark')
    await page.setViewportSize(PHONE)
    await fitsPhone(page)
    await heal(training.id)
    await page.getByRole('button', { name: 'Retry' }).click()
    await status(page, 'training').getByText('Ready', { exact: true }).waitFor()
    await page.getByRole('navigation', { name: 'training' }).getByRole('link', { name: 'Maintenance' }).click()
    await page.getByText('The cluster has version 1.34.3').waitFor()
    await fitsPhone(page)
  },
)

test('the page of a cluster lists its apps, live, and links those of the reader', { timeout: 120_000 }, async () => {
  const world = await clustersConsole()
  const { clusters, identity, signedIn, api } = world
  const [member, admin] = [await userOf(world, 'member'), await userOf(world, 'admin')]
  const shop = await identity.createOrganization(member, { name: 'Shop' })
  await identity.addMember(admin, shop.id, { email: emailOf('admin'), role: 'member' })
  const { id } = await clusters.createCluster(member, shop.id, order('prod'))
  const page = await signedIn(`/clusters/${shop.id}/${id}`, { role: 'member' })
  await page.getByRole('navigation', { name: 'prod' }).getByRole('link', { name: 'Apps' }).click()
  await page.getByText('There are no apps in this cluster').waitFor()
  await page.getByRole('link', { name: 'Order an app' }).waitFor()

  const own = await placeApp(api.url, { clusterId: id, userId: member.userId, name: 'nextcloud-k3x9' })
  await placeApp(api.url, { clusterId: id, userId: admin.userId, name: 'wiki-7qm2' })
  await page.getByRole('row', { name: /nextcloud-k3x9.*Ordered/ }).waitFor()
  await sayStatus(api.url, 'nextcloud-k3x9', 'ready')
  await sayStatus(api.url, 'wiki-7qm2', 'error')
  await page.getByRole('row', { name: new RegExp(`nextcloud-k3x9.*${emailOf('member')}.*Ready`) }).waitFor()
  await page.getByRole('row', { name: new RegExp(`wiki-7qm2.*${emailOf('admin')}.*Failed`) }).waitFor()
  expect(await page.getByRole('link', { name: 'wiki-7qm2' }).count()).toBe(0)
  expect(await page.getByRole('link', { name: 'nextcloud-k3x9' }).getAttribute('href')).toBe(
    `/apps/users/${member.userId}/deployments/${own}`,
  )
  await status(page, 'prod').getByText('Ready', { exact: true }).waitFor()
  await picture(page, 'clusters-apps')
  await page.setViewportSize(PHONE)
  await fitsPhone(page)
})

test('limits are set by admins, and meet the member who orders', async () => {
  const world = await clustersConsole()
  const { identity, signedIn, url } = world
  const member = await userOf(world, 'member')
  const shop = await identity.createOrganization(member, { name: 'Shop' })
  const admin = await signedIn(`/organizations/${shop.id}/limits`, { role: 'admin' })
  await admin.getByText('0 clusters, no limit').waitFor()
  await admin.getByRole('textbox', { name: 'Most clusters' }).fill('1')
  await admin.getByRole('textbox', { name: 'Most nodes' }).fill('4')
  await admin.getByRole('combobox', { name: 'Regions' }).click()
  await admin.getByRole('option', { name: 'eu-north' }).click()
  await admin.keyboard.press('Escape')
  await admin.getByRole('button', { name: 'Save limits' }).click()
  await admin.getByText('0 of 1 clusters, 1 left').waitFor()
  await picture(admin, 'organization-limits')

  const page = await signedIn(`/organizations/${shop.id}/limits`, { role: 'member' })
  await page.getByText('0 of 4 nodes, 4 left').waitFor()
  expect(await page.getByRole('button', { name: 'Save limits' }).count()).toBe(0)
  await page.goto(`${url}/clusters/new?organization=${shop.id}`)
  await page.getByRole('textbox', { name: 'Name' }).first().fill('prod')
  expect(await page.getByRole('combobox', { name: 'Region' }).inputValue()).toBe('eu-north')
  await page.getByRole('textbox', { name: 'Max nodes' }).fill('5')
  await page.getByText('5 of 4 nodes with this change (0 now), 1 too many').waitFor()
  await page.getByText('This would be refused').waitFor()
  await page.getByRole('textbox', { name: 'Max nodes' }).fill('4')
  await page.getByText('4 of 4 nodes with this change (0 now), 0 left').waitFor()
  await page.getByText(/accepts this/).waitFor()
  await page.setViewportSize(PHONE)
  await fitsPhone(page)
})
