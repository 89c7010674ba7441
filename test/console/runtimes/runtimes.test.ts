import { afterAll, expect, test } from 'vitest'
import { ClassRuntime } from '../../../src/domains/runtimes/index.ts'
import { Pod, type CoreV1 } from '../../../src/kube/index.ts'
import { fn, type RuntimesWorld } from '../../runtimes/world.ts'
import { runtimesConsole } from './world.ts'
import { closeBrowser, fitsPhone, PHONE, picture } from '../world.ts'

afterAll(closeBrowser)

const heading = (name: string) => ['heading', { name, level: 1, exact: true }] as const

test(
  'an admin makes a runtime, sees it converge, follows a recommendation, changes it and deletes it',
  { timeout: 300_000 },
  async () => {
    const { controlPlane, signedIn, recommend } = await runtimesConsole()
    const controller = await controlPlane.controller()
    const page = await signedIn('/runtimes/new')
    await page.getByRole('textbox', { name: 'Name' }).first().fill('Not A Name')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.locator('[aria-invalid="true"]').first().waitFor()
    await page.getByRole('textbox', { name: 'Name' }).first().fill('shop')
    await page.getByRole('textbox', { name: 'Namespace' }).fill(controlPlane.namespace)
    await page.getByRole('textbox', { name: 'Class' }).fill('shop.cart')
    // Others teach this control plane Knative, which would be chosen otherwise.
    await page.getByRole('combobox', { name: 'Template' }).click()
    await page.getByRole('option', { name: 'k8s_deployment' }).click()
    await page.getByRole('button', { name: 'Add function' }).click()
    await page.getByRole('textbox', { name: 'Key' }).fill('checkout')
    await page.getByRole('textbox', { name: 'Image' }).fill('registry.example/checkout:1')
    await page.getByLabel('Most replicas').fill('8')
    await page.getByRole('checkbox', { name: 'odgm' }).uncheck()
    await page.getByRole('combobox', { name: 'Mode' }).click()
    await page.getByRole('option', { name: 'enforce' }).click()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText(/objects are created/).waitFor()
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    await picture(page, 'runtimes-create')
    await page.getByText('Deployment/shop--checkout').click()
    await page.getByRole('definition').filter({ hasText: 'registry.example/checkout:1' }).waitFor()
    await page.getByRole('button', { name: 'Create', exact: true }).click()

    await page.getByRole(...heading('shop')).waitFor()
    const status = page.getByRole(...heading('shop')).locator('..')
    await status.getByText('Available', { exact: true }).waitFor()
    await page.getByRole('list', { name: 'What it is made of' }).getByText('Deployment', { exact: true }).waitFor()
    await page.getByRole('row', { name: /checkout.*Ready/ }).waitFor()

    await page.getByRole('link', { name: 'Requirements' }).click()
    await recommend('shop', { 'replicas/checkout': 3 })
    await page.getByRole('row', { name: /checkout.*replicas 3/ }).waitFor()
    await recommend('shop', { 'replicas/checkout': 5 })
    const chart = page.getByRole('slider', { name: /Replicas of checkout/ })
    await page.locator('[role="slider"][aria-valuetext*="Recommended 5, Applied 5, Live 5"]').waitFor()
    await page
      .getByText(/As recommended|5 replicas applied/)
      .first()
      .waitFor()
    await chart.focus()
    await page.keyboard.press('Home')
    await page.locator('[role="slider"][aria-valuenow="1"]').waitFor()
    expect(await chart.getAttribute('aria-valuetext')).not.toContain('Applied 5')
    await picture(page, 'runtimes-requirements')

    const sections = page.getByRole('navigation', { name: 'shop' })
    await sections.getByRole('link', { name: 'Timeline' }).click()
    await page.getByText('created by admin@example.test').waitFor()

    await page.getByRole('link', { name: 'Change' }).click()
    await page.getByRole('textbox', { name: 'Image' }).fill('registry.example/checkout:2')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.locator('ins').getByText('registry.example/checkout:2').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('2, acted upon').waitFor()
    expect((await controlPlane.runtime('shop')).spec).toMatchObject({ addons: [], enforcement: { mode: 'enforce' } })

    await controller.stop()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('shop')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete runtime' }).click()
    await page
      .getByRole('list', { name: 'Deletion' })
      .getByText(/objects are left/)
      .waitFor()
    await controlPlane.controller()
    await page.getByText(/There is no runtime in .* called shop/).waitFor()
    await controlPlane.isGone(ClassRuntime, 'shop')
  },
)

test('a package is refused by its fields, looked at, and becomes runtimes', async () => {
  const { controlPlane, signedIn } = await runtimesConsole()
  const page = await signedIn('/runtimes/package')
  const yaml = page.getByRole('textbox', { name: 'YAML' })
  await yaml.fill('name: shop\nclasses: nothing')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('alert').getByText('package.classes').waitFor()
  await yaml.fill(PACKAGE)
  await page.getByRole('textbox', { name: 'Namespace' }).fill(controlPlane.namespace)
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('1 runtime would change').waitFor()
  await picture(page, 'runtimes-package')
  expect(await controlPlane.names(ClassRuntime)).toEqual([])
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  await page.getByText('1 runtime changed').waitFor()
  await page.getByRole('link', { name: `${controlPlane.namespace}/shop-cart` }).click()
  await page.getByRole(...heading('shop-cart')).waitFor()
})

const PACKAGE = `name: shop
version: 1.4.0
classes:
  - key: cart
    function_bindings:
      - { name: add, function_key: cart-add }
functions:
  - key: cart-add
    function_type: CUSTOM
    provision_config:
      container_image: registry.example/cart-add:1.4.0
deployments:
  - key: shop-cart
    class_key: cart
    target_envs: [cloud]
`

/** What a kubelet would say about a container that cannot run. */
async function crash(controlPlane: RuntimesWorld, runtime: string): Promise<void> {
  const pods = await controlPlane.client.list(Pod, { namespace: controlPlane.namespace })
  const name = pods.find(({ metadata }) => metadata.name.startsWith(runtime))?.metadata.name ?? ''
  const container: CoreV1.ContainerStatus = {
    name: 'function',
    image: 'registry.example/hello:1',
    imageID: '',
    ready: false,
    restartCount: 7,
    state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container' } },
    lastState: { terminated: { exitCode: 3, reason: 'Error', message: 'no such database' } },
  }
  const conditions = [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }]
  await controlPlane.client.patchStatus(Pod, controlPlane.at(name), {
    merge: { status: { containerStatuses: [container], conditions } },
  })
}

test('runtimes are listed by namespace and phase, and a member may only look', async () => {
  const { controlPlane, signedIn, recommend, url } = await runtimesConsole()
  await controlPlane.controller()
  await controlPlane.create('cart', {
    package_class_key: 'shop.cart',
    functions: [fn('add', { max_scale: 6 }), fn('checkout', { max_scale: 4 })],
    enforcement: { mode: 'observe' },
    nfr_requirements: { min_throughput_rps: 200, max_latency_ms: 80 },
  })
  await controlPlane.create('stock', { package_class_key: 'shop.stock', functions: [fn('reserve')] })
  await controlPlane.create('prices', { selected_template: 'cloudlet', functions: [fn('quote')] })
  const page = await signedIn(`/runtimes?namespace=${controlPlane.namespace}`, { role: 'member' })
  await page.getByRole('row', { name: /cart.*Available.*2\/2/ }).waitFor()
  await page.getByRole('row', { name: /stock.*Available/ }).waitFor()
  await page.getByRole('row', { name: /prices.*Degraded/ }).waitFor()
  expect(await page.getByRole('link', { name: 'New runtime' }).count()).toBe(0)
  await picture(page, 'runtimes-list')
  await page.getByRole('combobox', { name: 'Phase' }).click()
  await page.getByRole('option', { name: 'Degraded' }).click()
  await page.getByText('1 runtime', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'prices' }).click()
  await page.getByText('unknown template "cloudlet"').first().waitFor()
  expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)

  await crash(controlPlane, 'stock')
  await page.goto(`${url}/runtimes/${controlPlane.namespace}/stock`)
  await page.getByText('last exit: Error, code 3: no such database').waitFor()
  await page.getByRole('heading', { name: 'stock' }).locator('..').getByText('Degraded').waitFor()
  await page.getByText('Action required: operator').or(page.getByText('Action required: you')).first().waitFor()
  await picture(page, 'runtimes-detail')

  await recommend('cart', { 'replicas/add': 4, 'replicas/checkout': 1 })
  await page.goto(`${url}/runtimes/${controlPlane.namespace}/cart/requirements`)
  await page.getByText('1 replica → 4 replicas would have been applied, but the mode is observe').waitFor()
  await page.emulateMedia({ colorScheme: 'dark' })
  await picture(page, 'runtimes-requirements-dark')
  await page.setViewportSize(PHONE)
  await fitsPhone(page)
  await page.goto(`${url}/runtimes/${controlPlane.namespace}/cart/edit`)
  await page.getByText('Only admins change runtimes').waitFor()
})
