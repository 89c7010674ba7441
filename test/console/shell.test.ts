import { afterAll, describe, expect, test } from 'vitest'
import type { Me } from '../../src/api/contract/index.ts'
import { oidc } from '../../src/api/index.ts'
import { settled } from '../../src/kernel/index.ts'
import { closeBrowser, consoleWorld, fitsPhone, PHONE, picture, signIn } from './world.ts'

afterAll(closeBrowser)

const heading = (name: string) => ['heading', { name, level: 1 }] as const

describe('signing in', () => {
  test('leads back to where one wanted to go, with the search', async () => {
    const { visit } = await consoleWorld()
    const page = await visit('/operations/decisions?q=echo&sort=-age')
    await page.getByRole(...heading('Sign in to Caelus')).waitFor()
    await picture(page, 'login')

    await signIn(page)

    await page.getByRole(...heading('Decisions')).waitFor()
    expect(new URL(page.url()).search).toBe('?q=echo&sort=-age')
    expect(await page.getByLabel('Filter decisions').inputValue()).toBe('echo')
  })

  test('is asked for when the session ends, and leads back', async () => {
    const { signedIn, api } = await consoleWorld()
    const page = await signedIn('/operations/tokens')
    await page.getByRole(...heading('Tokens')).waitFor()

    const me = await page.evaluate<Me>(`fetch('/api/v1/me').then((answer) => answer.json())`)
    await api.parts.users.signOut(me.id, Date.now())
    api.app.server.closeAllConnections()

    await page.getByRole(...heading('Sign in to Caelus')).waitFor()
    await signIn(page)
    await page.getByRole(...heading('Tokens')).waitFor()
  })

  test('is offered at the identity provider where there is one, and leads back too', async () => {
    const provider = {
      issuer: 'http://127.0.0.1:1',
      audience: 'console',
      client: { id: 'console', secret: 'x', scopes: 'openid' },
    }
    const { visit } = await consoleWorld({ oidc: oidc(provider), devLogin: false })
    const page = await visit('/operations/tokens')
    const link = page.getByRole('link', { name: 'Continue with single sign-on' })
    expect(await link.getAttribute('href')).toBe('/api/v1/login/oidc?return_to=%2Foperations%2Ftokens')
    expect(await page.getByLabel('Email').count()).toBe(0)

    await link.click()
    await page.getByRole('alert').getByText('Single sign-on does not answer').waitFor()
    expect(await link.getAttribute('href')).toBe('/api/v1/login/oidc?return_to=%2Foperations%2Ftokens')
  })

  test('is undone by signing out', async () => {
    const { signedIn } = await consoleWorld()
    const page = await signedIn()
    await page.getByRole('button', { name: 'Account of admin@example.test' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole(...heading('Sign in to Caelus')).waitFor()
    await page.goto(new URL('/apps', page.url()).href)
    await page.getByRole(...heading('Sign in to Caelus')).waitFor()
  })
})

describe('the overview', () => {
  test('follows the preparation of the cluster without a reload', async () => {
    const { signedIn, api } = await consoleWorld()
    const { board } = api.parts
    const now = () => new Date().toISOString()
    const step = (
      name: string,
      title: string,
      state: 'waiting' | 'running' | 'done',
      message: string | null = null,
    ) => ({
      name,
      title,
      state,
      message,
      started_at: state === 'waiting' ? null : now(),
      ended_at: state === 'done' ? now() : null,
    })
    board.component('kubernetes', { health: 'preparing', message: 'starting', version: null })
    board.preparation({
      state: 'running',
      started_at: now(),
      ended_at: null,
      steps: [
        step('etcd', 'Start etcd', 'done'),
        step('api', 'Start the API server', 'running', 'waiting for /readyz'),
      ],
    })
    const page = await signedIn()
    await page.getByText('Preparing the local control plane: step 2 of 2').waitFor()
    await page.getByText('waiting for /readyz').waitFor()

    board.component('kubernetes', { health: 'ok', message: 'reachable', version: 'v1.35.0' })
    board.kubernetes({
      version: 'v1.35.0',
      origin: 'local',
      nodes: [{ name: 'node-1', ready: true, version: 'v1.35.0', since: now() }],
    })
    board.preparation({
      state: 'done',
      started_at: now(),
      ended_at: now(),
      steps: [step('etcd', 'Start etcd', 'done'), step('api', 'Start the API server', 'done')],
    })

    await page.getByText('Everything is as desired').waitFor()
    await page.getByText('1 of 1 ready').waitFor()
    await page.getByText('Kubernetes v1.35.0', { exact: true }).waitFor()
  })

  test('shows a decision of the kernel as it is made, and explains it', async () => {
    const { signedIn, control } = await consoleWorld()
    const page = await signedIn()
    await page.getByText('Nothing was decided yet').waitFor()

    const queue = await control('echo', async ({ decided }) => {
      const input = { desired: { text: 'hello' }, observed: null }
      decided({ input, decision: { do: 'apply', because: 'it is missing' }, at: Date.now() })
      return settled()
    })
    await queue.wake({ kind: 'Echo', id: 'default/hello' }, { reason: 'created' })

    await page.getByRole('button', { name: 'Echo/default/hello' }).click()
    const drawer = page.getByRole('dialog', { name: 'Why this was decided' })
    await drawer.getByText('"hello"').waitFor()
    await drawer.getByText('"it is missing"').waitFor()
    await drawer.getByRole('link', { name: 'Open as a page' }).click()
    await page.getByRole('figure', { name: 'Input' }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/operations\/decisions\/\d+$/)
  })
})

describe('the connection', () => {
  test('comes back by itself, and what happened meanwhile is on the screen', async () => {
    const { signedIn, api } = await consoleWorld()
    const page = await signedIn('/operations/status')
    await page.getByText('Live', { exact: true }).waitFor()

    // It does not come back before it was seen to be lost.
    await page.route('**/events/stream', (route) => route.abort())
    api.app.server.closeAllConnections()
    await page.locator('[data-connection="waiting"]').waitFor()
    api.parts.board.component('worker', { health: 'degraded', message: 'two controllers are stuck', version: null })
    await page.unrouteAll()

    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText('two controllers are stuck').waitFor()
  })

  test('is told to be lost when the browser is offline', async () => {
    const { signedIn } = await consoleWorld()
    const page = await signedIn()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('status').getByText('This device is offline.').waitFor({ state: 'attached' })
    await page.context().setOffline(false)
    await page.getByText('Live', { exact: true }).waitFor()
  })
})

describe('tokens', () => {
  test('are made, work, and are revoked by typing their name', async () => {
    const { signedIn, url } = await consoleWorld()
    const page = await signedIn('/operations/tokens')
    await page.getByText('You have no tokens').waitFor()
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Name').fill('ci-pipeline')
    await page.getByRole('button', { name: 'Create token' }).click()
    const secret = await page.locator('[data-secret]').innerText()
    await page.getByRole('button', { name: 'Done' }).click()
    const ask = () => fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${secret}` } })
    expect((await ask()).status).toBe(200)

    await page.getByRole('button', { name: 'Revoke ci-pipeline' }).click()
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Revoke token' })
    expect(await confirm.isDisabled()).toBe(true)
    await page.getByRole('dialog').getByRole('textbox').fill('ci-pipeline')
    await confirm.click()

    await page.getByText('You have no tokens').waitFor()
    expect((await ask()).status).toBe(401)
  })
})

describe('pages', () => {
  test('of domains that are not enabled say so', async () => {
    const { signedIn } = await consoleWorld()
    const page = await signedIn('/apps')
    for (const domain of ['Apps', 'Clusters', 'Runtimes', 'Actions', 'Edge']) {
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: domain }).click()
      await page.getByRole(...heading(domain)).waitFor()
      await page.getByText(`This installation has no controllers for ${domain.toLowerCase()}`).waitFor()
      if (domain === 'Apps') await picture(page, 'domain')
    }
  })

  test('that do not exist say so', async () => {
    const { signedIn } = await consoleWorld()
    const page = await signedIn('/nowhere/at/all')
    await page.getByRole(...heading('Not found')).waitFor()
  })

  test('that a member may not see are not in the menu, and explain the refusal', async () => {
    const { signedIn } = await consoleWorld()
    const page = await signedIn('/operations/configuration', { role: 'member' })
    const problem = page.getByRole('main').getByRole('alert')
    await problem.getByText('NotAllowed').waitFor()
    await problem.getByText('Ask an admin').waitFor()
    await problem.getByText('request').waitFor()
    const menu = page.getByRole('navigation', { name: 'Main' })
    expect(await menu.getByRole('link', { name: 'Tokens' }).count()).toBe(1)
    expect(await menu.getByRole('link', { name: 'Configuration' }).count()).toBe(0)
  })

  test('keep the configuration readable, with its sources', async () => {
    const entry = {
      name: 'CAELUS_PORT',
      value: '8080',
      source: 'default',
      secret: false,
      description: 'Port of API and console.',
    } as const
    const { signedIn } = await consoleWorld({ config: () => [entry] })
    const page = await signedIn('/operations/configuration')
    await page.getByRole('row', { name: /CAELUS_PORT.*8080.*default/ }).waitFor()
  })

  test('record what happened in the timeline', async () => {
    const { signedIn, api } = await consoleWorld()
    const page = await signedIn('/timeline')
    await page.getByText('LoggedIn').waitFor()
    api.parts.board.component('worker', { health: 'down', message: 'out of memory', version: null })
    await page.getByText('out of memory').waitFor()
  })
})

describe('the keyboard', () => {
  test('skips to the content, goes places and shows its help', async () => {
    const { signedIn } = await consoleWorld()
    const page = await signedIn()
    await page.getByRole(...heading('Overview')).waitFor()
    await page.reload()
    await page.getByRole(...heading('Overview')).waitFor()
    // Whoever has opened the line also listens to the keyboard.
    await page.getByText('Live', { exact: true }).waitFor()

    // At once: on a busy machine more time may pass between two presses than a pair may take.
    await Promise.all([page.keyboard.press('g'), page.keyboard.press('c')])
    await page.getByRole(...heading('Clusters')).waitFor()
    await page.locator('h1:focus').getByText('Clusters').waitFor()

    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' })

    await page.locator('.skip-link').focus()
    await page.keyboard.press('Enter')
    await page.locator('#content:focus').waitFor()
  })
})

describe('a narrow screen', () => {
  test('has the menu in a drawer that closes behind one', async () => {
    const { signedIn } = await consoleWorld()
    const page = await signedIn('/', { viewport: PHONE })
    await page.getByRole(...heading('Overview')).waitFor()
    await fitsPhone(page)
    await page.getByRole('button', { name: 'Open the menu' }).click()
    await page.getByRole('link', { name: 'Runtimes', exact: false }).first().click()
    await page.getByRole(...heading('Runtimes')).waitFor()
    await page.getByRole('button', { name: 'Open the menu' }).waitFor()
  })
})

describe('the colour scheme', () => {
  test('is kept over a reload, before anything is drawn', async () => {
    const { signedIn } = await consoleWorld()
    const page = await signedIn()
    await page.getByRole('button', { name: 'Colour scheme' }).click()
    await page.getByRole('menuitem', { name: 'Dark' }).click()
    await page.reload({ waitUntil: 'commit' })
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
  })
})
