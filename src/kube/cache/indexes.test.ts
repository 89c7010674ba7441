import { expect, test } from 'vitest'
import { byNamespace, byOwner, Index } from './indexes.ts'
import type { KubeObject, ObjectMeta } from '../objects.ts'

const object = (metadata: Partial<ObjectMeta>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', ...metadata },
})
const owner = (uid: string) => ({ apiVersion: 'v1', kind: 'Node', name: uid, uid })

test('objects are found by namespace and owner', () => {
  const full = object({ namespace: 'n', ownerReferences: [owner('u1'), owner('u2')] })
  expect([byNamespace(full), byOwner(full)]).toEqual([['n'], ['u1', 'u2']])
  const bare = object({})
  expect([byNamespace(bare), byOwner(bare)]).toEqual([[], []])
})

test('one value may have no object, one, or several', () => {
  const index = new Index(byNamespace)
  const keys = (): string[] => [...index.keys('web')]
  const web = object({ namespace: 'web' })
  const other = object({ namespace: 'other' })
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
