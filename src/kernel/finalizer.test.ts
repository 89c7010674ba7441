import { describe, expect, it } from 'vitest'
import { addFinalizer, finalizerStep, removeFinalizer, type FinalizerStep } from './finalizer.ts'

const OURS = 'caelus.io/cleanup'
const away = '2026-01-01T00:00:00Z'

const CASES: readonly (readonly [deleting: boolean, finalizers: readonly string[] | undefined, FinalizerStep])[] = [
  [false, undefined, 'add'],
  [false, [], 'add'],
  [false, ['other'], 'add'],
  [false, [OURS], 'work'],
  [false, ['other', OURS], 'work'],
  [true, undefined, 'leave'],
  [true, ['other'], 'leave'],
  [true, [OURS], 'cleanUp'],
  [true, ['other', OURS], 'cleanUp'],
]

describe('finalizerStep', () => {
  it.each(CASES)('deleting %s with %j asks for %s', (deleting, finalizers, step) => {
    expect(
      finalizerStep({ ...(deleting && { deletionTimestamp: away }), ...(finalizers && { finalizers }) }, OURS),
    ).toBe(step)
  })
})

describe('the patches', () => {
  it('create the list when there is none and append when there is one', () => {
    expect(addFinalizer({ resourceVersion: '7' }, OURS)).toEqual([
      { op: 'test', path: '/metadata/resourceVersion', value: '7' },
      { op: 'add', path: '/metadata/finalizers', value: [OURS] },
    ])
    expect(addFinalizer({ resourceVersion: '7', finalizers: ['other'] }, OURS)[1]).toEqual({
      op: 'add',
      path: '/metadata/finalizers/-',
      value: OURS,
    })
  })

  it('remove ours and only ours', () => {
    expect(removeFinalizer({ finalizers: ['other', OURS] }, OURS)).toEqual([
      { op: 'test', path: '/metadata/finalizers/1', value: OURS },
      { op: 'remove', path: '/metadata/finalizers/1' },
    ])
    expect(removeFinalizer({ finalizers: ['other'] }, OURS)).toEqual([])
  })
})
