import { delayFor, service, sleep, type Backoff, type Clock, type Emitter, type Service } from '../../kernel/index.ts'
import type { Writer } from '../../kube/index.ts'
import type { AppsEvents } from './events.ts'
import { installFence, isFenceEnforced } from './fence-policy.ts'
import { protectPlatformObjects } from './namespace/protection.ts'

export interface FenceServiceDeps {
  readonly client: Writer
  readonly clock: Clock
  readonly emitter: Emitter<AppsEvents>
}

/** A new policy reaches the admission of a running API server within a second or two. */
const ENFORCING: Backoff = { baseMs: 50, capMs: 1_000, maxAttempts: 15 }
const RETRY_MS = 5_000
const CHECK_MS = 30_000

/**
 * Installs the policies that make fences hold and keep releases from the platform's objects, and is ready once the API server
 * enforces the fence: nothing is claimed before. It keeps checking, and installs them again if they were removed.
 */
export const fenceService = ({ client, clock, emitter }: FenceServiceDeps): Service =>
  service('apps fence', async (signal, ready) => {
    const pause = (ms: number): Promise<void> => sleep(clock, ms, signal).catch(() => {})
    let isInstalled = false
    while (!signal.aborted) {
      try {
        // At the start in any case: the policy of an earlier version may be there.
        if (!isInstalled || !(await isFenceEnforced(client, signal))) await enforce(client, clock, signal)
        isInstalled = true
        ready()
        await pause(CHECK_MS)
      } catch (error) {
        if (!signal.aborted) emitter.emit('apps:unfenced', { error })
        await pause(RETRY_MS)
      }
    }
  })

async function enforce(client: Writer, clock: Clock, signal: AbortSignal): Promise<void> {
  await installFence(client, signal)
  await protectPlatformObjects(client, signal)
  for (let tries = 1; !(await isFenceEnforced(client, signal)); tries++) {
    if (tries === ENFORCING.maxAttempts) throw new Error('the API server does not enforce the policy caelus-fence')
    await sleep(clock, delayFor(tries, ENFORCING), signal)
  }
}
