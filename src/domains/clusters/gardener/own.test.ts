import { expect, test } from 'vitest'
import { shootName } from '../shoot/names.ts'
import { isOwnByName, isRelabelled, ownShoot } from './own.ts'
import { CLUSTER_ID, FENCE, type Shoot } from './shoot.ts'

const nameOf = (id: string, budget = 21): string => shootName(id, 'p123456789', budget)

const shoot = (name: string, label: string | undefined, more: { day?: number; fence?: boolean } = {}): Shoot => ({
  apiVersion: 'core.gardener.cloud/v1beta1',
  kind: 'Shoot',
  metadata: {
    name,
    namespace: 'garden-p',
    uid: `uid of ${name}`,
    creationTimestamp: `2026-01-0${more.day ?? 1}T00:00:00Z`,
    ...(label !== undefined && { labels: { [CLUSTER_ID]: label } }),
    ...(more.fence !== false && { annotations: { [FENCE]: '1' } }),
  },
  spec: { kubernetes: { version: '1.34.3' }, provider: { type: 'local' } },
})

const [ofA, ofB] = [shoot(nameOf('a'), 'b', { day: 1 }), shoot(nameOf('b'), 'b', { day: 2 })]

test('a Shoot whose label was edited to the id of another cluster stays with its own', () => {
  expect(ownShoot('b', [ofA, ofB])).toBe(ofB)
  expect(ownShoot('b', [ofA])).toBeUndefined()
  expect(ownShoot('a', [ofA], ofA.metadata.uid)).toBe(ofA)
  expect([ofA, ofB].map(isRelabelled)).toEqual([true, false])
  expect([isOwnByName('a', ofA), isOwnByName('b', ofA), isOwnByName('a', ofB)]).toEqual([true, false, false])
})

test('of twins it is the one that the row knows, then one of its name, then the oldest', () => {
  const [old, older] = [shoot('by-hand-2', 'b', { day: 3, fence: false }), shoot('by-hand', 'b', { fence: false })]
  expect(ownShoot('b', [ofB, old, older], old.metadata.uid)).toBe(old)
  expect(ownShoot('b', [old, older, ofB])).toBe(ofB)
  expect(ownShoot('b', [old, older])).toBe(older)
})

test('a name that was derived while there was less room is one of the cluster', () => {
  const short = shoot(nameOf('b', 18), 'b')
  expect(short.metadata.name).not.toBe(nameOf('b'))
  expect(ownShoot('b', [short])).toBe(short)
})

test('one that was made by hand is that of its label, also after Caelus has written it', () => {
  const adopted = shoot('by-hand', 'b')
  expect([isRelabelled(adopted), ownShoot('b', [adopted])]).toEqual([false, adopted])
})

test('one without a label is taken back by its name, unless Caelus has never written it', () => {
  expect(isOwnByName('a', shoot(nameOf('a'), undefined))).toBe(true)
  expect(isOwnByName('a', shoot(nameOf('a'), undefined, { fence: false }))).toBe(false)
})
