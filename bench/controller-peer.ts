import { echoController } from '../examples/echo/index.ts'
import { createEmitter, systemClock, type KernelEvents } from '../src/kernel/index.ts'
import { httpTransport, loadKubeConfig, type WatchEvents } from '../src/kube/index.ts'
import { runForHarness } from './resyncing.ts'

const told = createEmitter<KernelEvents & WatchEvents>()
const transport = httpTransport(await loadKubeConfig({ env: process.env }))
const echo = echoController({ transport, clock: systemClock, random: Math.random, concurrency: 8, emitter: told })
await runForHarness(echo, told, transport)
