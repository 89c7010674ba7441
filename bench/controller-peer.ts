import { echoController } from '../examples/echo/index.ts'
import { happenings, systemClock, type KernelHappenings } from '../src/kernel/index.ts'
import { httpTransport, loadKubeConfig, type WatchHappenings } from '../src/kube/index.ts'
import { runForHarness } from './resyncing.ts'

const told = happenings<KernelHappenings & WatchHappenings>()
const transport = httpTransport(await loadKubeConfig({ env: process.env }))
const echo = echoController({ transport, clock: systemClock, random: Math.random, concurrency: 8, happenings: told })
await runForHarness(echo, told, transport)
