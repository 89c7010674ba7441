import { expect, test } from 'vitest'
import { manualClock, seededRandom } from '../../kernel/index.ts'
import { FakeKubernetes } from '../../kube/fake/index.ts'
import { makeClient, Namespace, withFaults } from '../../kube/index.ts'
import { LOCK_NAMESPACE, lockNamespaceService } from './lock-namespace.ts'

const USER = { name: 'worker', groups: [] }

test('the namespace is created when the API server answers; until then every failure is reported', async () => {
  const clock = manualClock()
  const server = new FakeKubernetes({ clock, random: seededRandom(1) })
  let isReachable = false
  const transport = withFaults(server.transport(), () => (isReachable ? undefined : { fault: 'lost' }), clock)
  const failures: unknown[] = []
  const client = makeClient(transport, { fieldManager: 'test' })
  const service = lockNamespaceService({ client, clock, onError: (error) => failures.push(error) })
  const started = service.start()
  await clock.advance(6_000)
  expect(failures).toHaveLength(2)
  isReachable = true
  await clock.advance(5_000)
  await started
  expect(await client.get(Namespace, { name: LOCK_NAMESPACE })).toBeDefined()
  await service.stop()
})

test('a process without the right to create or read namespaces waits, and reports why', async () => {
  const clock = manualClock()
  const server = new FakeKubernetes({ clock, random: seededRandom(1), namespaces: [LOCK_NAMESPACE] })
  const failures: string[] = []
  const client = makeClient(server.transport(USER), { fieldManager: 'test' })
  const service = lockNamespaceService({ client, clock, onError: (error) => failures.push(String(error)) })
  void service.start()
  await clock.advance(1_000)
  expect(failures).toEqual([expect.stringMatching(/forbidden/i)])
  await service.stop()
})
