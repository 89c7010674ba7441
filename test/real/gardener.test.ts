import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { openGardener } from '../../src/domains/clusters/gardener/client.ts'
import type { GardenerSettings } from '../../src/domains/clusters/shoot/wanted.ts'
import { createEmitter, startAll, systemClock } from '../../src/kernel/index.ts'
import {
  httpTransport,
  loadKubeConfig,
  makeClient,
  type HttpTransport,
  type WatchEvents,
} from '../../src/kube/index.ts'
import { startGarden, type Garden } from '../../tools/garden/index.ts'
import { exerciseGardener } from '../conformance/gardener.ts'

const settings: GardenerSettings = {
  providerType: 'local',
  cloudProfile: 'local',
  credentialsBindingName: 'local',
  credentialsFrom: 'garden',
  maxShootNameLen: 21,
  networkingType: 'calico',
  nodesCidr: '10.0.0.0/16',
}

let dir = ''
let garden: Garden
let transport: HttpTransport

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'caelus-gardener-'))
  const pace = { stepMs: 200, steps: 4, retryMs: 1_000 }
  garden = await startGarden({ dir: join(dir, 'garden'), pace })
  transport = httpTransport(await loadKubeConfig({ path: garden.kubeconfig }))
})
afterAll(async () => {
  await transport.close()
  await garden.stop()
  await rm(dir, { recursive: true, force: true })
})

exerciseGardener('a real gardener-apiserver', async () => {
  const emitter = createEmitter<WatchEvents>()
  const gardener = openGardener({ mode: 'real', transport, settings, clock: systemClock, emitter })
  const close = await startAll([gardener.shoots])
  const operator = makeClient(transport, { fieldManager: 'operator' })
  return { gardener, settings, operator, gardenlet: garden.gardenlet, close }
})
