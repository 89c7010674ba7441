import { echoController } from '../examples/echo/index.ts'
import { createEmitter, systemClock } from '../src/kernel/index.ts'
import { httpTransport, loadKubeConfig, type LedControllerEvents } from '../src/kube/index.ts'
import { runForHarness } from './resyncing.ts'

const told = createEmitter<LedControllerEvents>()
const transport = httpTransport(await loadKubeConfig({ env: process.env }))
const echo = echoController({
  transport,
  clock: systemClock,
  random: Math.random,
  instance: 'bench',
  concurrency: 8,
  emitter: told,
})
await runForHarness(echo, told, transport)
