import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect, inject, onTestFinished } from 'vitest'
import type { Role } from '../../src/api/contract/index.ts'
import { publishDecisions } from '../../src/api/index.ts'
import type { ChangeTopic, ServerParts } from '../../src/api/index.ts'
import { controller, MemoryQueue, systemClock } from '../../src/kernel/index.ts'
import type { Queue, Reconcile } from '../../src/kernel/index.ts'
import { listener } from '../../src/store/index.ts'
import { publishLive } from '../api/live.ts'
import { world } from '../api/world.ts'
import type { World, WorldOptions } from '../api/world.ts'
import { launchChromium } from '../support/chromium.ts'

const ROOT = join(import.meta.dirname, '../..')
const IMAGES = join(ROOT, 'docs/images')

/** What is on the screen is read anew every 15 s, whatever was lost; only what never comes takes longer than this. */
const PATIENCE_MS = 60_000

export const PHONE = { width: 390, height: 844 } as const

export interface ConsoleWorld {
  readonly api: World
  readonly url: string
  /** A tab of a browser that has never been here. */
  readonly visit: (path: string, options?: BrowserContextOptions) => Promise<Page>
  /** A tab in which somebody has signed in on the way to `path`. */
  readonly signedIn: (path?: string, options?: BrowserContextOptions & { role?: Role }) => Promise<Page>
  /** Runs a controller of the real kernel; its decisions are what the console shows. */
  readonly control: (name: string, reconcile: Reconcile) => Promise<Queue>
}

let browser: Promise<Browser> | undefined

/** The browser of this test file; started by the first who asks. */
const theBrowser = (): Promise<Browser> => (browser ??= launchChromium())

export const closeBrowser = async (): Promise<void> => (await browser)?.close()

/** A phone's width shows the whole page: nothing has to be scrolled to sideways, once the layout has settled. */
export const fitsPhone = (page: Page): Promise<void> =>
  expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)

/** The console of the release on the real API on a fresh database, listening on a port of its own; ends with the test. */
export async function consoleWorld(
  parts: Partial<ServerParts> = {},
  { topics, ...domain }: Pick<WorldOptions, 'routes'> & { readonly topics?: readonly ChangeTopic[] } = {},
): Promise<ConsoleWorld> {
  const api = await world({ ...domain, parts: { consoleDir: join(inject('release'), 'console/dist'), ...parts } })
  onTestFinished(async () => {
    api.app.server.closeAllConnections()
    await api[Symbol.asyncDispose]()
  })
  onTestFinished(await publishLive(api, topics))
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 })
  const complaints: string[] = []
  onTestFinished(() => expect(complaints).toEqual([]))

  const visit: ConsoleWorld['visit'] = async (path, options = {}) => {
    const context = await (
      await theBrowser()
    ).newContext({ viewport: { width: 1360, height: 900 }, reducedMotion: 'reduce', ...options })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    page.on('pageerror', (error) => complaints.push(error.message))
    // Refused requests are part of many stories; anything else the browser complains about, such as the policy, is not.
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        complaints.push(message.text())
    })
    await page.goto(`${url}${path}`)
    return page
  }

  return {
    api,
    url,
    visit,
    async signedIn(path = '/', { role = 'admin', ...options } = {}) {
      const page = await visit(path, options)
      await signIn(page, role)
      return page
    },
    async control(name, reconcile) {
      const notices = listener({ url: api.url, applicationName: 'test console notices' })
      const { events, decisions } = api.parts
      publishDecisions({
        listener: notices,
        decisions,
        events,
        clock: systemClock,
        onError: (error) => complaints.push(String(error)),
      })
      await notices.start()
      onTestFinished(() => notices.stop())
      const queue = new MemoryQueue({ clock: systemClock })
      const running = controller({ name, queue, reconcile, emitter: api.kernel, decisions: api.decided })
      await running.start()
      onTestFinished(() => running.stop())
      return queue
    },
  }
}

/** Whoever signs in with this role. */
export const emailOf = (role: Role): string => `${role}@example.test`

export async function signIn(page: Page, role: Role = 'admin'): Promise<void> {
  await page.getByLabel('Email').fill(emailOf(role))
  await page.getByText(role === 'admin' ? 'Admin' : 'Member', { exact: true }).click()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor({ state: 'attached' })
}

/** Keeps what is on the screen for the documentation. `UPDATE=1` writes it; otherwise nothing happens. */
export async function picture(page: Page, name: string): Promise<void> {
  if (process.env['UPDATE'] === undefined) return
  await mkdir(IMAGES, { recursive: true })
  // Messages come and go by themselves; on a picture they only cover something.
  const style = '.mantine-Notifications-root { visibility: hidden }'
  await page.screenshot({ path: join(IMAGES, `${name}.png`), animations: 'disabled', style })
}
