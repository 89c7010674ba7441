import type { Check } from '../../api/index.ts'
import type { Gardener } from '../../domains/clusters/gardener/index.ts'

/** Not required: a process need not be restarted when Gardener is unreachable. */
export const gardenerCheck = (gardener: Pick<Gardener, 'mode' | 'ping'>): Check => ({
  name: 'gardener',
  required: false,
  async probe(signal) {
    await gardener.ping(signal)
    return gardener.mode === 'mock' ? 'simulated: no clusters are made' : 'answers'
  },
})
