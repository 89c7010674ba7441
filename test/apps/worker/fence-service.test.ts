import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isFenceEnforced } from '../../../src/domains/apps/fence-policy.ts'
import { fenceService } from '../../../src/domains/apps/fence-service.ts'
import type { AppsEvents } from '../../../src/domains/apps/index.ts'
import { createEmitter, systemClock, type Clock } from '../../../src/kernel/index.ts'
import {
  httpTransport,
  loadKubeConfig,
  makeClient,
  ValidatingAdmissionPolicyBinding,
  type Client,
} from '../../../src/kube/index.ts'
import { startControlPlane } from '../../../tools/control-plane/index.ts'

/** The fence of the others stays as it is. */
async function ownControlPlane(): Promise<{ readonly client: Client } & AsyncDisposable> {
  const dir = await mkdtemp(join(tmpdir(), 'caelus-fence-test-'))
  const controlPlane = await startControlPlane({ dir })
  const transport = httpTransport(await loadKubeConfig({ path: controlPlane.kubeconfig }))
  return {
    client: makeClient(transport, { fieldManager: 'caelus' }),
    async [Symbol.asyncDispose]() {
      await transport.close()
      await controlPlane.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

test(
  'the fence is ready once it is enforced, and comes back when somebody removes it',
  { timeout: 90_000 },
  async () => {
    await using controlPlane = await ownControlPlane()
    const { client } = controlPlane
    const remove = async () => {
      await client.delete(ValidatingAdmissionPolicyBinding, { name: 'caelus-fence' })
      await expect.poll(() => isFenceEnforced(client), { timeout: 20_000 }).toBe(false)
    }
    expect(await isFenceEnforced(client)).toBe(false)
    const { clock, pass } = hurriedClock()
    const fence = fenceService({ client, clock, emitter: createEmitter<AppsEvents>() })
    await fence.start()
    expect(await isFenceEnforced(client)).toBe(true)
    await remove()
    pass()
    await expect.poll(() => isFenceEnforced(client), { timeout: 20_000 }).toBe(true)
    await fence.stop()
  },
)

/** Real time for short pauses; long ones end when `pass` is called. */
function hurriedClock(): { readonly clock: Clock; readonly pass: () => void } {
  const long = new Set<() => void>()
  const after: Clock['after'] = (ms, fn) => {
    if (ms < 10_000) return systemClock.after(ms, fn)
    long.add(fn)
    return () => void long.delete(fn)
  }
  return { clock: { ...systemClock, after }, pass: () => [...long].forEach((fn) => fn()) }
}
