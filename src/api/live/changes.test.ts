import { expect, test } from 'vitest'
import { manualClock } from '../../kernel/index.ts'
import type { RowChange } from '../../store/index.ts'
import { appsChanges } from './apps.ts'
import { publishChanges, type ChangeTopic } from './changes.ts'
import { eventRing, type Reader } from './events.ts'

const reader = (userId: string, ...organizations: string[]): Reader => ({
  userId,
  role: 'member',
  tenants: [userId, ...organizations],
})
const READERS = {
  ann: reader('ann', 'acme'),
  bob: reader('bob'),
  root: { ...reader('root'), role: 'admin' },
} as const satisfies Record<string, Reader>

const clusters: ChangeTopic = {
  topic: 'clusters',
  publicKinds: ['Version'],
  describe: ({ columns }) => ({ reason: String(columns['phase']), message: '', tone: 'info' }),
}

/** What changes of rows become, and who sees it. */
function world() {
  const events = eventRing(manualClock())
  let notify: (payload?: string) => void = () => {}
  publishChanges({
    listener: { subscribe: (_, onNotice) => ((notify = onNotice), () => (notify = () => {})) },
    events,
    topics: [appsChanges, clusters],
  })
  const moved: (string | undefined)[] = []
  events.onChangeTenants((of) => moved.push(of))
  return {
    moved,
    connect: () => notify(),
    change: (change: Partial<RowChange>) =>
      notify(JSON.stringify({ id: 'x', tenant: null, operation: 'update', columns: {}, ...change })),
    newest: () => events.recent(READERS.root)[0],
    seenBy: () =>
      Object.entries(READERS)
        .filter(([, each]) => events.recent(each).length > 0)
        .map(([name]) => name),
  }
}

test.each([
  ['a tenant: its readers and admins', { topic: 'clusters', kind: 'Cluster', tenant: 'acme' }, ['ann', 'root']],
  ['a user: the user and admins', { topic: 'apps', kind: 'Deployment', tenant: 'bob' }, ['bob', 'root']],
  ['no tenant: admins', { topic: 'clusters', kind: 'Cluster' }, ['root']],
  ['no tenant, of apps: admins', { topic: 'apps', kind: 'Deployment' }, ['root']],
  ['no tenant, and public: everyone', { topic: 'clusters', kind: 'Version' }, ['ann', 'bob', 'root']],
  ['no tenant, a product: everyone', { topic: 'apps', kind: 'Product' }, ['ann', 'bob', 'root']],
  ['a tenant, of a public kind: its readers', { topic: 'clusters', kind: 'Version', tenant: 'acme' }, ['ann', 'root']],
  ['an unknown topic: no reader', { topic: 'edge', kind: 'Product', tenant: 'acme' }, []],
  [
    'a new member: the user as well',
    { topic: 'organizations', kind: 'Member', id: 'bob', tenant: 'acme' },
    ['ann', 'bob', 'root'],
  ],
])('a change of %s', (_, change, readers) => {
  const w = world()
  w.change(change)
  expect(w.seenBy()).toEqual(readers)
})

test('an event has the topic, kind and id of its change, and what the domain says of it', () => {
  const w = world()
  w.change({ topic: 'clusters', kind: 'Cluster', id: 'c1', columns: { phase: 'ready' } })
  expect(w.newest()).toMatchObject({ topic: 'clusters', kind: 'Cluster', object_id: 'c1', reason: 'ready' })
  w.change({
    topic: 'apps',
    kind: 'Deployment',
    columns: { deployment_uid: 'shop-1', status: 'error', 'last_error.code': 'ChartNotFound' },
  })
  expect(w.newest()).toMatchObject({ reason: 'error', message: 'shop-1 is error (ChartNotFound)', tone: 'bad' })
  w.change({ topic: 'apps', kind: 'Template' })
  expect(w.newest()).toMatchObject({ kind: 'Template', reason: 'Changed', message: '' })
})

test('members and deleted organizations change the tenants of readers, others do not', () => {
  const w = world()
  const changed = (change: Partial<RowChange>) => w.change({ topic: 'organizations', tenant: 'acme', ...change })
  changed({ kind: 'Member', id: 'bob', operation: 'delete', columns: { role: 'viewer' } })
  expect(w.newest()).toMatchObject({ kind: 'Member', object_id: 'bob', reason: 'deleted' })
  changed({ kind: 'Invitation', operation: 'insert' })
  changed({ kind: 'Organization', id: 'acme', columns: { deleted_at: null } })
  expect(w.newest()).toMatchObject({ reason: 'changed' })
  changed({ kind: 'Organization', id: 'acme', columns: { deleted_at: '2030-01-01' } })
  expect(w.newest()).toMatchObject({ reason: 'deleted' })
  expect(w.moved).toEqual(['bob', 'acme'])
})

test('a replaced connection makes all topics and the tenants of all readers outdated', () => {
  const w = world()
  w.connect()
  expect(w.seenBy()).toEqual([])
  expect(w.moved).toEqual([undefined])
  w.connect()
  expect(w.seenBy()).toEqual(['ann', 'bob', 'root'])
  expect(w.newest()).toMatchObject({ reason: 'Missed' })
  expect(w.moved).toEqual([undefined, undefined])
})
