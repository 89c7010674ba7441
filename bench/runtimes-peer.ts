import {
  runtimesController,
  type RuntimesControllerEvents,
  type RuntimesSettings,
} from '../src/domains/runtimes/index.ts'
import { createEmitter, systemClock } from '../src/kernel/index.ts'
import { httpTransport, loadKubeConfig } from '../src/kube/index.ts'
import { runForHarness } from './resyncing.ts'

const settings: RuntimesSettings = {
  render: { profile: 'full', hpa: false, odgm: { image: 'example.com/odgm:1', pullPolicy: 'IfNotPresent' } },
  progressTimeoutMs: 600_000,
  crashRecoveryMs: 60_000,
  orphansPerMinute: 100,
  nfr: {
    stabilityMs: 180_000,
    cooldownMs: 120_000,
    maxReplicas: 20,
    maxReplicaDelta: 30,
    maxAgeMs: 600_000,
    minConfidence: 0.5,
    budget: { changes: 10, windowMs: 60_000 },
  },
}

const told = createEmitter<RuntimesControllerEvents>()
const transport = httpTransport(await loadKubeConfig({ env: process.env }))
const clock = systemClock
const runtimes = runtimesController({
  transport,
  settings,
  clock,
  random: Math.random,
  instance: 'bench',
  concurrency: 8,
  emitter: told,
})
await runForHarness(runtimes, told, transport)
