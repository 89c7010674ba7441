import { setTimeout as wait } from 'node:timers/promises'
import { seededRandom, systemClock } from '../../src/kernel/index.ts'
import { FakeKubernetes } from '../../src/kube/fake/index.ts'
import { makeClient } from '../../src/kube/index.ts'
import { exerciseKubeClient } from '../conformance/kube-client.ts'
import { freshNamespace, testTransport } from '../support/kube.ts'

const options = { fieldManager: 'conformance', pageSize: 100 }

exerciseKubeClient('the fake API server', async () => {
  const controlPlane = new FakeKubernetes({ clock: systemClock, random: seededRandom(1), namespaces: ['conformance'] })
  const transport = controlPlane.transport()
  return {
    client: makeClient(transport, options),
    transport,
    namespace: 'conformance',
    settle: async () => controlPlane.collectGarbage(),
  }
})

exerciseKubeClient('the real API server', async () => {
  const transport = await testTransport()
  const client = makeClient(transport, options)
  const namespace = await freshNamespace(client)
  return {
    client,
    transport,
    namespace: namespace.name,
    settle: () => wait(50),
    async close() {
      await namespace[Symbol.asyncDispose]()
      await transport.close()
    },
  }
})
