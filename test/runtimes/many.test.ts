import { expect, test } from 'vitest'
import { ClassRuntime } from '../../src/domains/runtimes/index.ts'
import { Deployment } from '../../src/kube/index.ts'
import { fn, RuntimesWorld } from './world.ts'

/** Four times what the controller reconciles at once. Benchmarks measure larger numbers. */
const COUNT = 64
/** A deadline ends what hangs; how fast it goes is measured by the benchmarks. */
const LONG = 600_000

/** Some at a time: the test is about the controller, not about how many requests a server takes at once. */
async function createAll(world: RuntimesWorld): Promise<void> {
  const names = Array.from({ length: COUNT }, (_, index) => `class-${index}`).values()
  const create = async (): Promise<void> => {
    for (const name of names) await world.create(name, { functions: [fn('hello')] })
  }
  await Promise.all(Array.from({ length: 16 }, create))
}

test(`${COUNT} classes that were there before the controller are all brought up`, { timeout: LONG }, async () => {
  await using world = await RuntimesWorld.make()
  await createAll(world)
  const { told } = await world.controller()
  const requests = new Map<string, number>()
  told.on('kube:request', ({ verb, resource, code }) => {
    const what = `${verb} ${resource}${code >= 400 ? ` ${code}` : ''}`
    requests.set(what, (requests.get(what) ?? 0) + 1)
  })
  const seen = new Set<string>()
  told.on('runtimes:phase', ({ runtime, to }) => {
    if (to === 'available') seen.add(runtime)
  })
  await expect.poll(() => seen.size, { timeout: LONG - 30_000, interval: 500 }).toBe(COUNT)
  expect(await world.names(Deployment)).toHaveLength(COUNT)
  const all = await world.client.list(ClassRuntime, { namespace: world.namespace })
  expect(all.filter(({ status }) => status?.phase !== 'available')).toEqual([])
  // Each costs its finalizer, one apply per child, and a status when it begins and when it is up.
  expect(requests.get('patch classruntimes.oaas.io')).toBe(COUNT)
  expect(requests.get('patch deployments.apps')).toBe(COUNT)
  expect(requests.get('patch services')).toBe(COUNT)
  expect(requests.get('patch classruntimes.oaas.io/status')).toBeLessThanOrEqual(COUNT * 3)
})
