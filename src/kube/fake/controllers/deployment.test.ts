import { expect, test } from 'vitest'
import { manualClock, seededRandom } from '../../../kernel/index.ts'
import { makeClient } from '../../client/make-client.ts'
import { Deployment } from '../../types/apps-v1.ts'
import { FakeKubernetes } from '../server.ts'
import { runDeployments } from './deployment.ts'

async function stage() {
  const clock = manualClock(Date.UTC(2030, 0, 1))
  const kubernetes = new FakeKubernetes({ clock, random: seededRandom(1) })
  const client = makeClient(kubernetes.transport(), { fieldManager: 'test' })
  const at = { namespace: 'default', name: 'web' }
  await client.create(Deployment, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: at,
    spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: { spec: { containers: [] } } },
  })
  const read = async () => (await client.get(Deployment, at))!
  return { clock, kubernetes, client, at, read, access: kubernetes.access() }
}

test('a Deployment has the replicas that it wants after one turn', async () => {
  const { access, read } = await stage()
  runDeployments(access)
  const { status } = await read()
  expect(status).toMatchObject({ observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2 })
})

test('a Deployment that is as it should be is not written again', async () => {
  const { access, read } = await stage()
  runDeployments(access)
  const before = await read()
  runDeployments(access)
  expect(await read()).toEqual(before)
})

test('a Deployment that was scaled keeps the time since when it is available', async () => {
  const { access, clock, client, at, read } = await stage()
  runDeployments(access)
  await clock.advance(5_000)
  await client.patch(Deployment, at, { merge: { spec: { replicas: 0 } } })
  runDeployments(access)
  const { status } = await read()
  expect(status?.observedGeneration).toBe(2)
  expect(status?.availableReplicas).toBeUndefined()
  expect(status?.conditions?.[0]).toMatchObject({
    type: 'Available',
    lastTransitionTime: '2030-01-01T00:00:00Z',
    lastUpdateTime: '2030-01-01T00:00:05Z',
  })
})

test('a Deployment that is ignored has no status', async () => {
  const { access, read } = await stage()
  runDeployments(access, { ignores: ({ metadata }) => metadata.name === 'web' })
  expect((await read()).status).toEqual({})
})
