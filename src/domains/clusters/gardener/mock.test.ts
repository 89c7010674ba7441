import { createEmitter, seededRandom, startAll, systemClock } from '../../../kernel/index.ts'
import type { WatchEvents } from '../../../kube/index.ts'
import { exerciseGardener } from '../../../../test/conformance/gardener.ts'
import type { GardenerSettings } from '../shoot/wanted.ts'
import { openGardener } from './client.ts'
import { openMockGarden } from './stand-in/mock.ts'

const settings: GardenerSettings = {
  providerType: 'local',
  cloudProfile: 'local',
  credentialsBindingName: 'local',
  credentialsFrom: 'garden',
  maxShootNameLen: 21,
  networkingType: 'calico',
  nodesCidr: '10.0.0.0/16',
}

exerciseGardener('the mock', async () => {
  const emitter = createEmitter<WatchEvents>()
  const clock = systemClock
  const random = seededRandom(1)
  const pace = { stepMs: 2, steps: 5, retryMs: 5 }
  const garden = await openMockGarden({ clock, random, emitter, pace, namespaceAfterMs: 10 })
  const { transport, operator, gardenlet } = garden
  const gardener = openGardener({ mode: 'mock', transport, settings, clock, emitter, random })
  const close = await startAll([...garden.services, gardener.shoots])
  return { gardener, settings, operator, gardenlet, close }
})
