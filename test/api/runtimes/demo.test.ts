import { expect, test } from 'vitest'
import { ClassRuntime } from '../../../src/domains/runtimes/index.ts'
import { Namespace } from '../../../src/kube/index.ts'
import { startAll } from '../../../src/kernel/index.ts'
import { demoLoad, DEMO_NAMESPACE, makeDemoRuntimes } from '../../../src/processes/runtimes/demo.ts'
import { runtimesApi } from './world.ts'

test('the demo is made once, and what a newcomer deletes stays deleted', async () => {
  await using w = await runtimesApi()
  const { client } = w.controlPlane
  const names = async (): Promise<string[]> => {
    const all = await client.list(ClassRuntime, { namespace: DEMO_NAMESPACE })
    return all.map(({ metadata }) => metadata.name).toSorted()
  }
  try {
    await makeDemoRuntimes(client, w.useCases.runtimes)
    expect(await names()).toEqual(['greeter', 'shop-cart', 'shop-stock'])

    const errors: unknown[] = []
    const stop = await startAll([demoLoad(client, (error) => errors.push(error))])
    const greeter = { namespace: DEMO_NAMESPACE, name: 'greeter' }
    const recommended = async () => (await client.get(ClassRuntime, greeter))?.status?.nfr_recommendations
    await expect
      .poll(recommended, { timeout: 20_000 })
      .toMatchObject({ 'replicas/greet': { basis: 'made up by the demo; nothing was measured' } })
    await stop()
    expect(errors).toEqual([])

    await client.delete(ClassRuntime, greeter)
    await makeDemoRuntimes(client, w.useCases.runtimes)
    expect(await names()).toEqual(['shop-cart', 'shop-stock'])
  } finally {
    await client.delete(Namespace, { name: DEMO_NAMESPACE })
  }
})
