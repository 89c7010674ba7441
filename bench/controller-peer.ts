import { echoController } from '../examples/echo/index.ts'
import { happenings, startAll, systemClock, type KernelHappenings } from '../src/kernel/index.ts'
import { httpTransport, loadKubeConfig, type WatchHappenings } from '../src/kube/index.ts'

/*
 * The Echo controller as a program, for the harness: SIGUSR2 looks at everything once more and prints `resync <count>` when that
 * is done; SIGTERM ends it.
 */
const told = happenings<KernelHappenings & WatchHappenings>()
const transport = httpTransport(await loadKubeConfig({ env: process.env }))
const echo = echoController({ transport, clock: systemClock, random: Math.random, concurrency: 8, happenings: told })

/** Runs since the last SIGUSR2, and how many it woke once that is known. */
let ended = 0
let woken: number | undefined
const tellWhenDone = (): void => {
  if (woken === undefined || ended < woken) return
  console.log(`resync ${woken}`)
  woken = undefined
}
told.on('reconcile:end', ({ outcome, failure, key }) => {
  if (failure) console.error(key.id, outcome, failure.message)
  ended += 1
  tellWhenDone()
})
async function resync(): Promise<void> {
  ended = 0
  woken = await echo.resync()
  tellWhenDone()
}
process.on('SIGUSR2', () => void resync())

const stop = await startAll(echo.services)
process.once('SIGTERM', () => void stop().then(() => transport.close()))
