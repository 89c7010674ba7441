import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Emitter } from '../../../src/kernel/index.ts'
import { Deployment, Pod, type CoreV1 } from '../../../src/kube/index.ts'
import { seen } from '../../support/kube.ts'
import { writeChart } from '../helm/world.ts'
import { replicated } from './charts.ts'
import { reportState, withLogs } from './logs.ts'
import type { WorkerEvents } from './parts.ts'
import { WorkerWorld } from './world.ts'

const REPLICAS = 3

let world: WorkerWorld
let id: string
let namespace: string
const steps: string[] = []
let told: Emitter<WorkerEvents>

beforeAll(async () => {
  world = await WorkerWorld.make()
  ;({ told } = await world.worker({}, withLogs('out of memory\n')))
  const templateId = await world.publish(await writeChart(world.dir, { 'web.yaml': replicated(REPLICAS) }))
  const made = await world.orderWithoutVolume({}, 'shop.example.com', { templateId })
  ;[id, namespace] = [made.id, made.namespaceName]
  await world.until(id, 'ready')
  told.on('apps:step', ({ step }) => steps.push(step))
})
afterAll(async () => world[Symbol.asyncDispose]())

const pods = (): Promise<CoreV1.Pod[]> => world.client.list(Pod, { namespace })

const crash = (pod: CoreV1.Pod): Promise<void> =>
  reportState(world.client, pod, {
    state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } },
    lastState: { terminated: { exitCode: 137 } },
  })

async function recover({ metadata: { name } }: CoreV1.Pod): Promise<void> {
  const conditions = ['Ready', 'ContainersReady'].map((type) => ({ type, status: 'True' }))
  const running = { name: 'web', image: '', imageID: '', ready: true, restartCount: 3, state: { running: {} } }
  const status = { conditions, containerStatuses: [running] }
  await world.client.patchStatus(Pod, { namespace, name }, { strategic: { status } })
}

const available = (count: number) =>
  seen(world.client, Deployment, { namespace, name: 'web' }, ({ status }) => (status?.availableReplicas ?? 0) === count)

test('one of several replicas that fails is no news', async () => {
  const [one] = await pods()
  if (one === undefined) throw new Error('expected pods')
  await crash(one)
  await available(REPLICAS - 1)
  await world.lookOnce(id, told)
  expect(await world.row(id)).toMatchObject({ status: 'ready', lastError: null })
  await recover(one)
  await available(REPLICAS)
  expect(steps).toEqual([])
})

test('when nothing answers any more it is degraded at once, with the cause, and ready again afterwards', async () => {
  const all = await pods()
  await Promise.all(all.map(crash))
  await available(0)
  const { lastError, observedGeneration, generation } = await world.until(id, 'degraded', 5_000)
  expect(observedGeneration).toBe(generation)
  expect(lastError?.message).toContain('CrashLoopBackOff back-off 10s (exit 137, 3 restarts)')
  expect(lastError?.message).toContain('last log lines: out of memory')
  expect((await world.explain(id)).why.join('\n')).toContain('CrashLoopBackOff')
  await Promise.all(all.map(recover))
  await available(REPLICAS)
  const ready = await world.until(id, 'ready', 5_000)
  expect(ready.lastError).toBeNull()
  expect(steps).toEqual([])
})
