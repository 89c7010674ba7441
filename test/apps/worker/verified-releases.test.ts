import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { guarded, Service } from '../../../src/kube/index.ts'
import type { OpenWorker } from './parts.ts'
import { WorkerWorld } from './world.ts'

let world: WorkerWorld
let id: string
let namespace: string
let running: OpenWorker & { stop(): Promise<void> }

/** A worker that begins with what those before it have kept, and what it did since. */
async function startWorker(more: Parameters<WorkerWorld['worker']>[0] = {}) {
  const [verified, steps, requests]: [boolean[], string[], string[]] = [[], [], []]
  running = await world.worker(more, (transport) =>
    guarded(transport, ({ method, path }) => void requests.push(`${method} ${path}`)),
  )
  running.told.on('apps:looked', ({ isRemembered }) => verified.push(isRemembered))
  running.told.on('apps:step', ({ step }) => steps.push(step))
  const lookAgain = async (): Promise<boolean | undefined> => {
    await world.lookAgain(id)
    return verified.at(-1)
  }
  return { verified, steps, requests, lookAgain }
}

beforeAll(async () => {
  world = await WorkerWorld.make()
  running = await world.worker()
  const made = await world.order()
  ;[id, namespace] = [made.id, made.namespaceName]
  await world.until(id, 'ready')
  await running.stop()
})
afterAll(async () => world[Symbol.asyncDispose]())

/** Every test begins with a release that the last worker remembered, and without a worker. */
beforeEach(async () => {
  const { lookAgain } = await startWorker()
  await expect.poll(lookAgain, { timeout: 45_000 }).toBe(true)
  await running.stop()
})
afterEach(() => running.stop())

test('a worker that starts asks nobody about a release that another found in order', async () => {
  const row = await world.row(id)
  const { verified, requests, lookAgain } = await startWorker()
  for (let pass = 0; pass < 3; pass++) await lookAgain()
  expect(verified).not.toContain(false)
  // What a start asks for besides is about all namespaces at once.
  expect(requests.length).toBeGreaterThan(0)
  expect(requests.filter((request) => request.includes(namespace))).toEqual([])
  expect(await world.row(id)).toEqual(row)
})

test('what was edited while no worker ran is noticed and taken back', async () => {
  const at = { namespace, name: namespace }
  await world.client.patch(Service, at, { merge: { spec: { selector: { 'app.kubernetes.io/name': 'other' } } } })
  const { verified, steps, lookAgain } = await startWorker()
  await lookAgain()
  await expect.poll(() => steps, { timeout: 20_000 }).toEqual(['repairObjects'])
  await world.until(id, 'ready')
  await lookAgain()
  expect(verified[0]).toBe(false)
  expect((await world.client.get(Service, at))?.spec?.selector?.['app.kubernetes.io/name']).toBe('hello-static')
})

test('what was deleted while no worker ran is noticed and made anew', async () => {
  const at = { namespace, name: namespace }
  const before = await world.client.get(Service, at)
  await world.client.delete(Service, at)
  const { steps, lookAgain } = await startWorker()
  await lookAgain()
  await expect.poll(() => steps, { timeout: 20_000 }).toEqual(['repairObjects'])
  const after = await world.client.get(Service, at)
  expect(after?.metadata.uid).toEqual(expect.any(String))
  expect(after?.metadata.uid).not.toBe(before?.metadata.uid)
})

test('another version of the program looks for itself', async () => {
  const { verified, lookAgain } = await startWorker({ version: 'another' })
  await lookAgain()
  expect(verified[0]).toBe(false)
})
