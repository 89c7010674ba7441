import { setTimeout as wait } from 'node:timers/promises'
import { manualClock, seededRandom } from '../../src/kernel/index.ts'
import { FakeKubernetes, runDeployments, runJobs } from '../../src/kube/fake/index.ts'
import { makeClient } from '../../src/kube/index.ts'
import { exerciseControllers } from '../conformance/kube-controllers.ts'
import { freshNamespace, testTransport } from '../support/kube.ts'

const options = { fieldManager: 'conformance' }

exerciseControllers('the fake controllers', async () => {
  const clock = manualClock(Date.UTC(2030, 0, 1))
  const kubernetes = new FakeKubernetes({ clock, random: seededRandom(1), namespaces: ['conformance'] })
  const access = kubernetes.access()
  return {
    client: makeClient(kubernetes.transport(), options),
    namespace: 'conformance',
    async turn() {
      runDeployments(access)
      runJobs(access)
      kubernetes.collectGarbage()
      await clock.advance(1_000)
    },
  }
})

exerciseControllers('the real controllers', async () => {
  const transport = await testTransport()
  const client = makeClient(transport, options)
  const namespace = await freshNamespace(client)
  return {
    client,
    namespace: namespace.name,
    turn: () => wait(100),
    async close() {
      await namespace[Symbol.asyncDispose]()
      await transport.close()
    },
  }
})
