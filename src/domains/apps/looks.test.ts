import { expect, test } from 'vitest'
import { manualClock } from '../../kernel/index.ts'
import { Looks, type Glimpse, type Surroundings } from './looks.ts'
import { NO_DRIFT, type Observed } from './observed.ts'
import type { Deployment } from './types.ts'

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

function looking() {
  const clock = manualClock()
  let glimpse: Glimpse | undefined = { fingerprint: 'a', kinds: ['v1/Service'] }
  let occurring: readonly string[] | undefined
  const surroundings: Surroundings = {
    glimpse: () => glimpse,
    isWhole: (_, { kinds }) => occurring?.every((kind) => kinds.includes(kind)) ?? false,
    follow: (_, objects) => void (occurring = objects.map(({ apiVersion, kind }) => `${apiVersion}/${kind}`)),
  }
  const looks = new Looks(surroundings, clock)
  const look = (seen = fine, kind = 'Service'): void => {
    const before = looks.before(row)
    surroundings.follow('ns', [{ apiVersion: 'v1', kind }])
    looks.keep(row, 'd', before, seen)
  }
  const touch = (fingerprint: string | undefined): void =>
    void (glimpse = fingerprint === undefined ? undefined : { fingerprint, kinds: ['v1/Service'] })
  return { clock, looks, look, touch }
}

test('what was found in order and not touched since is remembered', () => {
  const { looks, look } = looking()
  expect(looks.recall(row, 'd')).toBeUndefined()
  look()
  expect(looks.recall(row, 'd')).toBe(fine)
})

test('a release with a kind that was not watched when the look began is looked at again', () => {
  const { looks, look } = looking()
  look(fine, 'ConfigMap')
  expect(looks.recall(row, 'd')).toBeUndefined()
})

test('anything touched is looked at again', () => {
  const { looks, look, touch } = looking()
  look()
  touch('b')
  expect(looks.recall(row, 'd')).toBeUndefined()
})

test('what changes while we look is looked at again', () => {
  const { looks, touch } = looking()
  const before = looks.before(row)
  touch('b')
  looks.keep(row, 'd', before, fine)
  expect(looks.recall(row, 'd')).toBeUndefined()
})

test.each<[string, Partial<Deployment>]>([
  ['is on its way', { status: 'upgrading' }],
  ['was changed', { generation: 3 }],
  ['is to be deleted', { deletedAt: 5 }],
])('a row that %s is looked at', (_, change) => {
  const { looks, look } = looking()
  look()
  expect(looks.recall({ ...row, ...change }, 'd')).toBeUndefined()
})

test('other values are looked at, and so is what cannot be watched', () => {
  const { looks, look, touch } = looking()
  look()
  expect(looks.recall(row, 'other')).toBeUndefined()
  touch(undefined)
  look()
  expect(looks.recall(row, 'd')).toBeUndefined()
})

test('what was not in order is not remembered', () => {
  const { looks, look } = looking()
  look()
  look({ ...fine, health: { is: 'progressing', because: 'pods start' } })
  expect(looks.recall(row, 'd')).toBeUndefined()
})

test('after an hour everything is looked at again', async () => {
  const { clock, looks, look } = looking()
  look()
  await clock.advance(3_600_000)
  expect(looks.recall(row, 'd')).toBeUndefined()
})
