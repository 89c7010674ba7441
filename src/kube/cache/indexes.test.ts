import { expect, test } from 'vitest'
import { byLabel, byNamespace, byOwner, Index } from './indexes.ts'
import type { KubeObject, ObjectMeta } from '../objects.ts'

const object = (metadata: Partial<ObjectMeta>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', ...metadata },
})
const owner = (uid: string) => ({ apiVersion: 'v1', kind: 'Node', name: uid, uid })

test('objects are found by namespace, owner and label', () => {
  const full = object({ namespace: 'n', ownerReferences: [owner('u1'), owner('u2')], labels: { app: 'web' } })
  expect([byNamespace(full), byOwner(full), byLabel('app')(full)]).toEqual([['n'], ['u1', 'u2'], ['web']])
  const bare = object({})
  expect([byNamespace(bare), byOwner(bare), byLabel('app')(bare)]).toEqual([[], [], []])
})

test('one value may have no object, one, or several', () => {
  const index = new Index(byLabel('app'))
  const keys = (): string[] => [...index.keys('web')]
  const web = object({ labels: { app: 'web' } })
  const other = object({ labels: { app: 'other' } })
  expect(keys()).toEqual([])
  index.replace('a', undefined, web)
  index.replace('a', web, web)
  expect(keys()).toEqual(['a'])
  index.replace('b', undefined, web)
  expect(keys()).toEqual(['a', 'b'])
  index.replace('a', web, other)
  expect(keys()).toEqual(['b'])
  index.replace('b', web, undefined)
  expect(keys()).toEqual([])
})
