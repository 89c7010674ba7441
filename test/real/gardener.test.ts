import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { openGardener } from '../../src/domains/clusters/gardener/client.ts'
import { gardenlet } from '../../src/domains/clusters/gardener/stand-in/gardenlet.ts'
import type { Shoot } from '../../src/domains/clusters/gardener/shoot.ts'
import type { GardenerSettings } from '../../src/domains/clusters/shoot/wanted.ts'
import { createEmitter, startAll, systemClock } from '../../src/kernel/index.ts'
import {
  ConfigMap,
  httpTransport,
  loadKubeConfig,
  makeClient,
  type Client,
  type HttpTransport,
  type WatchEvents,
} from '../../src/kube/index.ts'
import { createAuthority, type Certified } from '../../tools/control-plane/index.ts'
import { InternalSecret } from '../../tools/garden/resources.ts'
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

const clock = systemClock
const emitter = createEmitter<WatchEvents>()
let dir = ''
let garden: Garden
let transport: HttpTransport
let standIn: ReturnType<typeof gardenlet>
let stopStandIn = async (): Promise<void> => {}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'caelus-gardener-'))
  garden = await startGarden({ dir: join(dir, 'garden') })
  transport = httpTransport(await loadKubeConfig({ path: garden.kubeconfig }))
  const client = makeClient(transport, { fieldManager: 'gardenlet' })
  const { certified } = createAuthority('shoot-clients', new Date(), 'rsa')
  standIn = gardenlet({
    client,
    clock,
    emitter,
    pace: { stepMs: 100, steps: 5, retryMs: 100 },
    async extraStatus(shoot) {
      await publishAuthority(client, shoot, certified)
      return { advertisedAddresses: [{ name: 'external', url: garden.server }] }
    },
  })
  stopStandIn = await startAll([standIn])
})
afterAll(async () => {
  await stopStandIn()
  await transport.close()
  await garden.stop()
  await rm(dir, { recursive: true, force: true })
})

/** What gardener-apiserver makes an admin kubeconfig of. */
async function publishAuthority(client: Client, { metadata }: Shoot, { cert, key }: Certified): Promise<void> {
  const { name, namespace = '' } = metadata
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  await client.apply(InternalSecret, {
    apiVersion: 'core.gardener.cloud/v1beta1',
    kind: 'InternalSecret',
    metadata: { namespace, name: `${name}.ca-client`, labels: { 'gardener.cloud/role': 'ca-client' } },
    type: 'Opaque',
    data: { 'ca.crt': base64(cert), 'ca.key': base64(key) },
  })
  await client.apply(ConfigMap, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name: `${name}.ca-cluster` },
    data: { 'ca.crt': cert },
  })
}

exerciseGardener('a real gardener-apiserver', async () => {
  const gardener = openGardener({ mode: 'real', transport, settings, clock, emitter })
  const close = await startAll([gardener.shoots])
  const operator = makeClient(transport, { fieldManager: 'operator' })
  return { gardener, settings, operator, gardenlet: standIn, close }
})
