import { startAll, type Emitter, type KernelEvents, type Service } from '../src/kernel/index.ts'
import type { HttpTransport } from '../src/kube/index.ts'

interface Resyncing {
  readonly services: readonly Service[]
  readonly resync: () => Promise<number>
}

/**
 * Runs a controller as a program for the harness: SIGUSR2 reconciles every object and prints `resync <count>` at the end;
 * SIGTERM ends it.
 */
export async function runForHarness(
  { services, resync }: Resyncing,
  told: Emitter<KernelEvents>,
  transport: HttpTransport,
): Promise<void> {
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
  const again = async (): Promise<void> => {
    ended = 0
    woken = await resync()
    tellWhenDone()
  }
  process.on('SIGUSR2', () => void again())

  const stop = await startAll(services)
  process.once('SIGTERM', () => void stop().then(() => transport.close()))
}
