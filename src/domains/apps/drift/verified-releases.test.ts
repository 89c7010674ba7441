import { expect, test } from 'vitest'
import { manualClock } from '../../../kernel/index.ts'
import type { KubeObject } from '../../../kube/index.ts'
import {
  VerifiedReleases,
  versionOf,
  type WatchedVersions,
  type VerifiedReleaseStore,
  type VerifiedRelease,
} from './verified-releases.ts'
import { NO_DRIFT, type Observed } from '../observed.ts'
import type { Deployment } from '../types.ts'

const row = {
  id: '1',
  namespaceName: 'ns',
  status: 'ready',
  generation: 2,
  observedGeneration: 2,
  deletedAt: null,
} as Deployment
const fine: Observed = {
  namespace: { is: 'active' },
  release: { is: 'deployed', revision: 1, claims: [], updatedAt: 0, digest: 'd' },
  health: { is: 'ready' },
  drift: NO_DRIFT,
}
const starting: Observed = { ...fine, health: { is: 'progressing', because: 'pods start' } }
const SERVICE = 'v1/Service'

const object = (version: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Any',
  metadata: { name: 'web', uid: 'u', resourceVersion: version },
})
const shown = (version: string): string[] => [versionOf(object(version))]
const RECORD = 'sh.helm.release.v1.web.v1'

/** One object of each kind, in that version. */
const glimpseOf = (objects: Record<string, string>, more: Partial<WatchedVersions> = {}): WatchedVersions => ({
  place: 'ns',
  records: [`${RECORD} u 1`],
  objects: new Map(Object.entries(objects).map(([kind, version]) => [kind, shown(version)])),
  ...more,
})

/** One cluster and one database, and as many processes as wanted. */
function looking() {
  const clock = manualClock()
  const stored = new Map<string, VerifiedRelease>()
  const asked: string[] = []
  const followed: string[] = []
  let isAway = false
  let glimpse: WatchedVersions | undefined = glimpseOf({ [SERVICE]: 'a' })
  const kept: VerifiedReleaseStore = {
    find: async (id) => {
      asked.push(`find ${id}`)
      if (isAway) throw new Error('the database is away')
      return stored.get(id)
    },
    keep: async (id, fence, look) => (asked.push(`keep ${id} under ${fence}`), void stored.set(id, look)),
    drop: async (id, fence) => (asked.push(`drop ${id} under ${fence}`), void stored.delete(id)),
    kinds: async () => [],
  }
  const releaseWatch = { glimpse: () => glimpse, follow: (kinds: readonly string[]) => void followed.push(...kinds) }
  const start = (judge = 'me') => {
    const verified = new VerifiedReleases({ releaseWatch, kept, clock, judge })
    const look = (seen = fine, kinds = [SERVICE], version = 'a'): Promise<void> => {
      const objects = kinds.map((kind) => ({ kind, live: object(version) }))
      return verified.keep(row, 7, { digest: 'd', before: verified.before(row), record: RECORD, objects, seen })
    }
    return { verified, look }
  }
  return {
    clock,
    stored,
    asked,
    followed,
    start,
    ...start(),
    touch: (objects: Record<string, string>, more: Partial<WatchedVersions> = {}) =>
      void (glimpse = glimpseOf(objects, more)),
    lose: () => void (glimpse = undefined),
    setAway: (is: boolean) => void (isAway = is),
  }
}

type Looking = ReturnType<typeof looking>

test('what was found in order and not touched since is remembered, here and by the next process', async () => {
  const world = looking()
  expect(await world.verified.recall(row, 'd')).toBeUndefined()
  await world.look()
  expect(await world.verified.recall(row, 'd')).toBe(fine)
  const next = world.start()
  expect(await next.verified.recall(row, 'd')).toEqual(fine)
  expect(world.followed).toEqual([SERVICE])
})

test.each<[string, (world: Looking) => unknown, { change?: Partial<Deployment>; digest?: string }?]>([
  ['something was touched', ({ touch }) => touch({ [SERVICE]: 'b' })],
  ['the namespace was made anew', ({ touch }) => touch({ [SERVICE]: 'a' }, { place: 'other' })],
  ['a record of Helm was written', ({ touch }) => touch({ [SERVICE]: 'a' }, { records: [`${RECORD} u 2`] })],
  ['its kind is not watched', ({ touch }) => touch({ 'v1/Secret': 'a' })],
  ['its namespace is not known', ({ lose }) => lose()],
  ['it was not in order', ({ look }) => look(starting)],
  ['an object of it was edited', ({ look }) => look({ ...fine, drift: { ...NO_DRIFT, edited: ['Service/web'] } })],
  ['an object of it was gone', ({ look }) => look({ ...fine, drift: { ...NO_DRIFT, missing: ['Service/web'] } })],
  ['a kind of it was not watched when the look began', ({ look }) => look(fine, [SERVICE, 'v1/ConfigMap'])],
  ['we changed it', ({ verified }) => verified.forget(row.id, 7)],
  ['an hour has passed', ({ clock }) => clock.advance(3_600_000)],
  ['other values are wanted', () => {}, { digest: 'other' }],
  ['its row is on its way', () => {}, { change: { status: 'upgrading' } }],
  ['its row was changed', () => {}, { change: { generation: 3 } }],
  ['it is to be deleted', () => {}, { change: { deletedAt: 5 } }],
])('it is looked at again, here and by the next process, when %s', async (_, happen, { change, digest = 'd' } = {}) => {
  const world = looking()
  await world.look()
  await happen(world)
  for (const { verified } of [world, world.start()])
    expect(await verified.recall({ ...row, ...change }, digest)).toBeUndefined()
})

test.each<[string, Partial<WatchedVersions>]>([
  ['an object of it', { objects: new Map([[SERVICE, []]]) }],
  ['the record of it', { records: [] }],
  ['the record of it, but of one with a longer number', { records: [`${RECORD}0 u 1`] }],
  ['its newest version', { objects: new Map([[SERVICE, shown('older')]]) }],
])('a look is not kept when the watches had not heard of %s, which may be deleted again', async (_, lagging) => {
  const { look, verified, start, touch } = looking()
  touch({}, lagging)
  await look()
  for (const one of [verified, start().verified]) expect(await one.recall(row, 'd')).toBeUndefined()
})

test('the hour goes on when a process ends', async () => {
  const { clock, look, start } = looking()
  await look()
  await clock.advance(3_599_999)
  const { verified } = start()
  expect(await verified.recall(row, 'd')).toEqual(fine)
  await clock.advance(1)
  expect(await verified.recall(row, 'd')).toBeUndefined()
})

test('kinds that are no part of the release do not matter, nor how often those of it are named', async () => {
  const { look, start, stored, touch } = looking()
  touch({ [SERVICE]: 'a', 'v1/ConfigMap': 'a' })
  await look(fine, ['v1/ConfigMap', SERVICE, SERVICE])
  expect(stored.get(row.id)?.kinds).toEqual(['v1/ConfigMap', SERVICE])
  touch({ 'v1/ConfigMap': 'a', 'v1/Secret': 'b', [SERVICE]: 'a' })
  expect(await start().verified.recall(row, 'd')).toEqual(fine)
})

test('what another judge has found is looked at again', async () => {
  const { look, start } = looking()
  await look()
  expect(await start('another').verified.recall(row, 'd')).toBeUndefined()
})

test('the store is asked once, and not for a row that is looked at anyway', async () => {
  const { asked, verified } = looking()
  await verified.recall({ ...row, status: 'upgrading' }, 'd')
  expect(asked).toEqual([])
  await verified.recall(row, 'd')
  await verified.recall(row, 'd')
  expect(asked).toEqual(['find 1'])
})

test('what was forgotten is not asked for, though another worker keeps it, until it is kept here', async () => {
  const { look, verified, start, touch } = looking()
  await verified.forget(row.id, 7)
  await start().look()
  expect(await verified.recall(row, 'd')).toBeUndefined()
  touch({ [SERVICE]: 'b' })
  await look(fine, [SERVICE], 'b')
  expect(await verified.recall(row, 'd')).toBe(fine)
})

test('forgetting drops what another worker has kept since', async () => {
  const { verified, start, stored } = looking()
  await verified.forget(row.id, 7)
  await start().look()
  await verified.forget(row.id, 7)
  expect(stored.size).toBe(0)
})

test('what is not in order is dropped once, however often it is looked at', async () => {
  const { asked, look } = looking()
  for (const seen of [fine, starting, starting, starting]) await look(seen)
  expect(asked).toEqual(['keep 1 under 7', 'drop 1 under 7'])
})

test('a store that does not answer makes no answer, and is asked again', async () => {
  const { look, setAway, start } = looking()
  await look()
  const { verified } = start()
  setAway(true)
  await expect(verified.recall(row, 'd')).rejects.toThrow('away')
  setAway(false)
  expect(await verified.recall(row, 'd')).toEqual(fine)
})

test('of many deployments that came and went only the latest are remembered', async () => {
  const { asked, verified } = looking()
  for (let id = 1; id <= 10_001; id++) await verified.forget(String(id), 7)
  await verified.recall({ ...row, id: '2' }, 'd')
  expect(asked).not.toContain('find 2')
  await verified.recall(row, 'd')
  expect(asked).toContain('find 1')
})
