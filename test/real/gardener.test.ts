import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
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
import { startPostgres, type Postgres } from '../../tools/postgres/postgres.ts'
import { serveGarden } from '../clusters/served-garden.ts'
import { killWhileWriting, pauseWhileWriting, workerStage } from '../clusters/worker-stage.ts'
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

const CHECKOUT = join(import.meta.dirname, '../../bin/caelus.mjs')

let dir = ''
let garden: Garden
let transport: HttpTransport
let postgres: Postgres

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'caelus-gardener-'))
  const pace = { stepMs: 200, steps: 4, retryMs: 1_000 }
  ;[garden, postgres] = await Promise.all([startGarden({ dir: join(dir, 'garden'), pace }), startPostgres()])
  transport = httpTransport(await loadKubeConfig({ path: garden.kubeconfig }))
})
afterAll(async () => {
  await transport.close()
  await Promise.all([garden.stop(), postgres.stop()])
  await rm(dir, { recursive: true, force: true })
})

exerciseGardener('a real gardener-apiserver', async () => {
  const emitter = createEmitter<WatchEvents>()
  const gardener = openGardener({ mode: 'real', transport, settings, clock: systemClock, emitter })
  const close = await startAll([gardener.shoots])
  const operator = makeClient(transport, { fieldManager: 'operator' })
  return { gardener, settings, operator, gardenlet: garden.gardenlet, close }
})

const stage = () =>
  workerStage((folder) => serveGarden(folder, transport), {
    postgresUrl: postgres.url,
    program: CHECKOUT,
    settings: {
      GARDENER_PROVIDER_TYPE: settings.providerType,
      GARDENER_CLOUD_PROFILE: settings.cloudProfile,
      GARDENER_CREDENTIALS_BINDING_NAME: settings.credentialsBindingName ?? '',
      CAELUS_CLUSTERS_CREDENTIALS_NAMESPACE: settings.credentialsFrom ?? '',
    },
  })

test('the cluster of a killed worker resumes within 30 seconds', async () => {
  await killWhileWriting(await stage())
})

test('the cluster of a paused worker resumes, and the worker that goes on changes nothing of it', async () => {
  await pauseWhileWriting(await stage())
})
