import { expect, test } from 'vitest'
import { decisionText } from './words.ts'
import type { Action } from './types.ts'

const child = { kind: 'Deployment', name: 'cart', uid: '1', deleting: false, object: {} } as never

test.each<[Action, string]>([
  [{ do: 'addFinalizer' }, 'it is claimed'],
  [{ do: 'removeFinalizer' }, 'nothing of it is left, and it is let go'],
  [{ do: 'apply', child, force: false }, 'Deployment/cart is applied'],
  [{ do: 'handBack', child, dimensions: ['cpu', 'memory'] }, 'cpu and memory of Deployment/cart is handed back'],
  [{ do: 'delete', child, because: 'orphan' }, 'Deployment/cart is deleted, which nothing asks for any more'],
  [{ do: 'delete', child, because: 'deletion' }, 'Deployment/cart is deleted'],
  [
    {
      do: 'enforce',
      functionKey: 'add',
      dimension: 'replicas',
      path: 'deployment',
      child,
      from: 2,
      to: 4,
      isClamped: false,
      basis: '',
      confidence: 1,
    },
    'replicas of add is set from 2 to 4',
  ],
])('%o is told', (action, text) => {
  expect(decisionText({ actions: [action], phase: 'progressing', status: {} })).toBe(text)
})

test('where there is nothing to do, it is told how the runtime is', () => {
  const status = { message: 'everything is ready' }
  expect(decisionText({ actions: [], phase: 'available', status })).toBe('available: everything is ready')
})
