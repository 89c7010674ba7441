// @vitest-environment happy-dom
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { render } from '../testing/render.tsx'
import { domain, status } from '../testing/status.ts'
import { Age } from './feedback/Age.tsx'
import { ConfirmDelete } from './delete/ConfirmDelete.tsx'
import { DomainPage } from './page/DomainPage.tsx'
import type { DomainAbout } from './page/DomainPage.tsx'
import { ErrorBoundary } from './feedback/ErrorBoundary.tsx'
import { ProgressSteps } from './feedback/ProgressSteps.tsx'
import { lineOfEvent, Timeline } from './insight/Timeline.tsx'

afterEach(() => void vi.useRealTimers())

test('an age ticks', async () => {
  vi.useFakeTimers({ now: Date.parse('2031-01-01T00:01:05Z') })
  using screen = await render(<Age since="2031-01-01T00:00:00Z" />)
  expect(screen.text()).toBe('1m 5s')
  act(() => void vi.advanceTimersByTime(2_000))
  expect(screen.text()).toBe('1m 7s')
})

test('deleting needs the name to be typed', async () => {
  let confirmed = 0
  using screen = await render(
    <ConfirmDelete
      kind="token"
      name="ci"
      consequences="It stops working."
      pending={false}
      onClose={() => {}}
      onConfirm={() => confirmed++}
    />,
  )
  const button = screen.find('button[type="submit"]', 'Delete token') as HTMLButtonElement
  await screen.type('input', 'c')
  expect(button.disabled).toBe(true)
  await screen.type('input', 'ci')
  expect(button.disabled).toBe(false)
  await screen.click('button[type="submit"]')
  expect(confirmed).toBe(1)
})

test('steps say what runs, what is done and how long it took', async () => {
  using screen = await render(
    <ProgressSteps
      label="Preparation"
      steps={[
        {
          name: 'a',
          title: 'Start etcd',
          state: 'done',
          started_at: '2026-11-15T10:00:00.000Z',
          ended_at: '2026-11-15T10:00:01.500Z',
          message: null,
        },
        {
          name: 'b',
          title: 'Start the API server',
          state: 'running',
          started_at: new Date().toISOString(),
          ended_at: null,
          message: 'waiting for /readyz',
        },
        { name: 'c', title: 'Register nodes', state: 'waiting', started_at: null, ended_at: null, message: null },
      ]}
    />,
  )
  expect(screen.find('li', 'Start etcd').textContent).toBe('Start etcd, Done1.5 s')
  expect(screen.find('li[aria-current="step"]').textContent).toContain('waiting for /readyz')
  expect(screen.find('li', 'Register nodes').textContent).toBe('Register nodes, Waiting')
})

test('events stand under their day', async () => {
  const event = {
    id: '1',
    at: new Date().toISOString(),
    topic: 'apps',
    kind: 'Deployment',
    object_id: 'd1',
    reason: 'Ready',
    message: 'all pods run',
    tone: 'good' as const,
  }
  using screen = await render(<Timeline lines={[event].map(lineOfEvent)} />)
  expect(screen.find('section[aria-label="Today"]').textContent).toContain('Deployment/d1')
})

const about: DomainAbout = {
  name: 'apps',
  title: 'Apps',
  summary: 'Helm products.',
  desired: 'rows',
  converged: 'releases',
  promises: ['Names stay.'],
}

test('a domain without controllers says so and shows none of its pages', async () => {
  using screen = await render(<DomainPage about={about}>the list</DomainPage>, { answers: { 'GET /status': status() } })
  await screen.until(() => screen.text().includes('This installation has no controllers for apps'))
  expect(screen.text()).not.toContain('the list')
})

test('a domain with controllers shows its pages, and before it has any, its numbers', async () => {
  const answers = {
    'GET /status': status({ domains: [domain('apps', { enabled: true, health: 'ok', objects: 3, not_ready: 1 })] }),
  }
  using withPages = await render(<DomainPage about={about}>the list</DomainPage>, { answers })
  await withPages.until(() => withPages.text().includes('the list'))
  withPages[Symbol.dispose]()
  using without = await render(<DomainPage about={about} />, { answers })
  await without.until(() => without.text().includes('Objects3'))
  expect(without.text()).toContain('Not ready1')
})

test('a page that cannot be drawn explains itself', async () => {
  const silent = vi.spyOn(console, 'error').mockImplementation(() => {})
  const Broken = () => {
    throw new Error('chunk not found')
  }
  using screen = await render(
    <ErrorBoundary>
      <Broken />
    </ErrorBoundary>,
  )
  expect(screen.text()).toContain('chunk not found')
  expect(screen.text()).toContain('ConsoleError')
  expect(screen.text()).toContain('Action required: you. Reload the page.')
  silent.mockRestore()
})
