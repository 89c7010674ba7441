import { describe, expect, test } from 'vitest'
import type { ResourceView } from '../../lib/api/contract.ts'
import { isOpen, nextTryText, spokenJob } from './admin/job.ts'
import { deletionSteps } from './deletion.ts'
import { diffLines, fieldText, summary } from '../../lib/diff-lines.ts'
import { domainProblem } from './domain.ts'
import { hueOf, iconProblem, initialsOf } from './icon.ts'
import { isFound } from './search.ts'
import { sentence } from '../../lib/sentence.ts'
import { headline } from './status.ts'
import { templateName } from './template-name.ts'
import { treeOf } from './tree.ts'
import { writtenFacts } from './written-facts.ts'

describe('the headline of a deployment', () => {
  const row = {
    status: 'ready',
    suspended_at: null,
    generation: 2,
    observed_generation: 2,
    last_error: null,
  } as const

  test('is its status, and a waiting change says so', () => {
    expect(headline(row)).toEqual({ tone: 'good', word: 'Ready', why: '' })
    expect(headline({ ...row, generation: 3 })).toMatchObject({ tone: 'wait', word: 'Change waiting' })
    expect(headline({ ...row, status: 'upgrading', generation: 3 })).toMatchObject({ word: 'Being changed' })
  })

  test('carries the failure', () => {
    const last_error = {
      code: 'ChartMissing',
      message: 'the chart is gone',
      whose_move: 'operator',
      retryable: true,
      next_step: 'x',
    } as const
    expect(headline({ ...row, status: 'error', last_error }).why).toBe('the chart is gone')
    expect(headline({ ...row, status: 'degraded', last_error })).toMatchObject({
      tone: 'bad',
      why: 'the chart is gone',
    })
    expect(headline({ ...row, status: 'stalled', last_error })).toMatchObject({ word: 'Stalled', tone: 'bad' })
    expect(headline({ ...row, suspended_at: '2026-01-01T00:00:00Z' }).word).toBe('Suspended')
    expect(headline({ ...row, status: 'upgrading', last_error }).why).toBe('the last try failed: the chart is gone')
  })
})

test.each([
  ['', /must not be empty/],
  ['shop', /two parts/],
  ['https://shop.example', /without scheme/],
  ['shop.example:80', /without a port/],
  ['*.example.com', /wildcards/],
  ['shöp.example', /ASCII/],
  ['shop..example', /empty part/],
  ['-a.example', /hyphen/],
  ['a_b.example', /letters, digits and hyphens/],
  ['1.2.3.4', /not an address/],
  [`${'a'.repeat(64)}.example`, /63 characters/],
])('the domain %j is refused', (domain, why) => expect(domainProblem(domain)).toMatch(why))

test.each(['shop.example.com', ' Shop.Example.COM. ', 'a-b.c1'])('the domain %j is fine', (domain) =>
  expect(domainProblem(domain)).toBeUndefined(),
)

describe('a preview', () => {
  test('is one line for each field', () => {
    expect(
      diffLines([
        { field: 'spec.rules[0].host', change: 'changed', before: 'a', after: 'b' },
        { field: 'metadata.labels["a/b"]', change: 'added', after: 1 },
        { field: 'metadata.empty', change: 'removed', before: {} },
      ]),
    ).toEqual([
      { field: 'spec.rules[0].host', before: 'a', after: 'b' },
      { field: 'metadata.labels["a/b"]', after: '1' },
      { field: 'metadata.empty', before: '{}' },
    ])
  })

  test('shows of long texts the lines that differ', () => {
    const change = { field: 'page', change: 'changed', before: 'a\nb\nc', after: 'a\nx\ny\nc' } as const
    expect(diffLines([change])).toEqual([{ field: 'page', before: '…\nb\n…', after: '…\nx\ny\n…' }])
  })

  test('tells that a secret changes without telling it', () => {
    const change = { field: 'password', change: 'changed', before: '(write-only)', after: '(write-only)' } as const
    expect(diffLines([change])).toEqual([{ field: 'password', before: '(write-only)', after: '(write-only)' }])
  })

  test('is summed up', () => {
    const object = (change: 'created' | 'changed') => ({ object: 'A/b', change, fields: [] })
    expect(summary({ values: [], objects: [object('created'), object('created'), object('changed')] })).toBe(
      '2 objects are created, 1 is changed',
    )
    expect(summary({ values: [], objects: [] })).toBe('Nothing would change')
  })

  test('names fields as people write them', () => expect(fieldText('/a/0/b~1c/d')).toBe('a[0]["b/c"].d'))
})

describe('the tree of resources', () => {
  const resource = (id: string, parent: string | null, health: ResourceView['health'] = 'ready'): ResourceView => ({
    id,
    kind: '',
    name: '',
    parent,
    health,
    message: '',
    since: null,
    events: [],
  })

  test('puts objects beneath their owners, trouble first', () => {
    const tree = treeOf([
      resource('Service/web', null),
      resource('Deployment/web', null),
      resource('ReplicaSet/web', 'Deployment/web'),
      resource('Pod/web', 'ReplicaSet/web', 'failing'),
      resource('Pod/orphan', 'Job/gone'),
    ])
    expect(tree.map(({ resource: { id } }) => id)).toEqual(['Deployment/web', 'Pod/orphan', 'Service/web'])
    expect(tree[0]?.children[0]?.children[0]?.resource.id).toBe('Pod/web')
  })

  test('survives owners that own each other', () => {
    expect(treeOf([resource('A', 'A'), resource('B', 'C'), resource('C', 'B')])).toHaveLength(1)
  })
})

describe('a deletion', () => {
  const deleting = { status: 'deleting', deleted_at: '2026-11-15T10:00:00Z' } as const
  const states = (left: number | undefined, blockers: string[] = [], status: 'deleting' | 'deleted' = 'deleting') =>
    deletionSteps({ deployment: { ...deleting, status }, left, blockers })?.map(({ state }) => state)

  test('goes step by step', () => {
    expect(deletionSteps({ deployment: { status: 'ready', deleted_at: null }, left: 4, blockers: [] })).toBeUndefined()
    expect(states(4)).toEqual(['running', 'waiting', 'waiting'])
    expect(states(0)).toEqual(['done', 'running', 'waiting'])
    expect(states(undefined, [], 'deleted')).toEqual(['done', 'done', 'done'])
  })

  test('names what blocks it', () => {
    const steps = deletionSteps({ deployment: deleting, left: 0, blockers: ['PersistentVolumeClaim data waits'] })
    expect(steps?.[1]).toMatchObject({ state: 'failed', message: 'blocked: PersistentVolumeClaim data waits' })
  })
})

describe('a job', () => {
  const now = Date.parse('2026-11-15T10:00:00Z')
  const job = { status: 'queued', frozen: false, run_after: '2026-11-15T10:01:30Z' } as const

  test('says when it is tried next', () => {
    expect(nextTryText(job, now)).toBe('in 1m 30s')
    expect(nextTryText(job, now + 100_000)).toBe('now')
    expect(nextTryText({ ...job, frozen: true }, now)).toBe('when unfrozen')
    expect(nextTryText({ ...job, status: 'failed' }, now)).toBe('—')
  })

  test('has one word', () => {
    expect(spokenJob({ ...job, frozen: true }).word).toBe('Frozen')
    expect(spokenJob({ ...job, status: 'failed' })).toEqual({ tone: 'bad', word: 'Given up' })
    expect([isOpen(job), isOpen({ status: 'done' })]).toEqual([true, false])
  })
})

test('settings are told under the titles of the form, secrets without their value', () => {
  expect(
    writtenFacts(
      { message: 'hi', mail: { port: 25 }, users: [{ name: 'ann' }], on: true, raw: 1 },
      ['/mail/password'],
      [
        { pointer: '/message', widget: 'text', title: 'Message' },
        { pointer: '/mail', widget: 'group', title: 'Mail' },
        { pointer: '/mail/port', widget: 'number', title: 'Port', unit: 'tcp' },
        { pointer: '/mail/password', widget: 'password', title: 'Password' },
        { pointer: '/users', widget: 'list', title: 'Users' },
        { pointer: '/users/*/name', widget: 'text', title: 'Name' },
        { pointer: '/on', widget: 'checkbox', title: 'On' },
      ],
    ),
  ).toEqual([
    { title: 'Message', text: 'hi' },
    { title: 'Mail › Port', text: '25 tcp' },
    { title: 'Users › 1 › Name', text: 'ann' },
    { title: 'On', text: 'yes' },
    { title: 'raw', text: '1' },
    { title: 'Mail › Password', text: undefined },
  ])
})

test('a product has initials, a colour of its own, and is found by its words', () => {
  expect([initialsOf('hello-static'), initialsOf('Ledger'), initialsOf('')]).toEqual(['HS', 'LE', '?'])
  expect(hueOf('a')).toBe(hueOf('a'))
  const product = { name: 'Status page', description: 'Shows uptime' }
  expect([isFound(product, ''), isFound(product, 'page UP'), isFound(product, 'page x')]).toEqual([true, true, false])
})

test('an icon is a small image', () => {
  expect(iconProblem({ type: 'image/png', size: 100 })).toBeUndefined()
  expect(iconProblem({ type: 'text/html', size: 100 })).toMatch(/must be a PNG/)
  expect(iconProblem({ type: 'image/png', size: 70_000 })).toBe('must be at most 64 KiB; it has 69')
})

test('sentences begin large and end', () => {
  expect([sentence('it waits'), sentence('it waits (now)')]).toEqual(['It waits.', 'It waits (now)'])
})

test('a template is called by its label', () => {
  expect(templateName({ version_label: null, chart_version: '1.0.0' })).toBe('1.0.0')
  expect(templateName({ version_label: 'Spring', chart_version: '1.0.0' })).toBe('Spring (chart 1.0.0)')
})
