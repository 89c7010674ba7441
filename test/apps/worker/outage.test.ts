import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Ingress, Secret } from '../../../src/kube/index.ts'
import { startControlPlane, type ControlPlane } from '../../../tools/control-plane/index.ts'
import { ADMIN, WorkerWorld } from './world.ts'

let controlPlane: ControlPlane
let dir: string

/** A control plane of its own: nobody else is to notice. */
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'caelus-outage-test-'))
  controlPlane = await startControlPlane({ dir })
})
afterAll(async () => {
  await controlPlane.stop()
  await rm(dir, { recursive: true, force: true })
})

test('an API server that dies in the middle of a rollout costs no attempt', { timeout: 300_000 }, async () => {
  await using world = await WorkerWorld.make({ healthTimeoutSec: 120 }, controlPlane.kubeconfig)
  const { told } = await world.worker()
  const outcomes: string[] = []
  told.on('reconcile:end', ({ outcome, because = '', failure }) =>
    outcomes.push(`${outcome} ${failure ? `${failure.code}: ${failure.message}` : because}`),
  )
  const first = await world.orderWithoutVolume()
  const records = { namespace: first.namespaceName, labels: 'owner=helm,status=pending-install' }
  await expect.poll(async () => (await world.client.list(Secret, records)).length, { timeout: 40_000 }).toBe(1)
  await controlPlane.killApiServer()
  const second = await world.orderWithoutVolume({}, 'second.example.com')
  const code = async () => (await world.row(second.id)).lastError?.code
  await expect.poll(code, { timeout: 40_000 }).toBe('KubeUnreachable')
  // Long enough for every lease that lives in the API server to run out.
  await expect.poll(() => outcomes.length, { timeout: 90_000 }).toBeGreaterThan(6)
  await controlPlane.restartApiServer()
  for (const one of [first, second]) await world.layVolume(one)
  for (const { id, namespaceName: namespace, domainname } of [first, second]) {
    const ready = await world.until(id, 'ready')
    expect(ready.lastError).toBeNull()
    const ingress = await world.client.get(Ingress, { namespace, name: namespace })
    expect(ingress?.spec?.rules?.[0]?.host).toBe(domainname)
    const { items } = await world.apps.listJobs(ADMIN, { deploymentId: id, limit: 10 })
    expect(items.map(({ attempt }) => attempt)).toEqual(items.map(() => 0))
  }
  expect(outcomes.filter((outcome) => /^(?:retry|terminal|lost)/.test(outcome))).toEqual([])
})
