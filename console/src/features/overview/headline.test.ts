import { expect, test } from 'vitest'
import type { StatusView } from '../../lib/api/contract.ts'
import { domain, status } from '../../testing/status.ts'
import { headline } from './headline.ts'

const step = (state: 'done' | 'running' | 'waiting') => ({
  name: state,
  title: state,
  state,
  started_at: null,
  ended_at: null,
  message: null,
})
const preparation = (state: 'running' | 'done' | 'failed'): StatusView['preparation'] => ({
  state,
  started_at: '',
  ended_at: null,
  steps: [step('done'), step('running'), step('waiting')],
})
const down = { name: 'postgresql', health: 'down', message: '', version: null, since: '' } as const

test.each<[string, Partial<StatusView>]>([
  ['good: Everything is as desired', {}],
  ['bad: postgresql is not healthy', { components: [down], preparation: preparation('running') }],
  ['bad: postgresql and 1 more are not healthy', { components: [down, { ...down, name: 'worker' }] }],
  ['bad: The local control plane could not be prepared', { preparation: preparation('failed') }],
  ['bad: 1 object has stopped and needs action', { queue: { due: 0, running: 0, waiting: 0, parked: 1 } }],
  ['wait: Preparing the local control plane: step 2 of 3', { preparation: preparation('running') }],
  [
    'wait: 2 objects are not as desired yet',
    { domains: [domain('apps', { enabled: true, health: 'ok', not_ready: 2 })] },
  ],
  [
    'wait: 1 object is not as desired yet',
    { demo: [{ kind: 'Echo', id: 'e', ready: 'Unknown', reason: '', message: '', since: '' }] },
  ],
  ['wait: Some components are starting', { components: [{ ...down, health: 'preparing' }] }],
])('%s', (expected, rest) => {
  const { tone, text } = headline(status(rest))
  expect(`${tone}: ${text}`).toBe(expected)
})
