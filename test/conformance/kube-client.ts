import { afterEach, describe } from 'vitest'
import { isAlreadyExists } from '../../src/kube/index.ts'
import { exerciseApply } from './kube-client/apply.ts'
import { exerciseDeletion } from './kube-client/deletion.ts'
import { exerciseReads } from './kube-client/reads.ts'
import { exerciseWatch } from './kube-client/watch.ts'
import {
  definitions,
  eventually,
  type Fresh,
  type KubeUnderTest,
  widgetDefinition,
  widgets,
} from './kube-client/world.ts'
import { exerciseWrites } from './kube-client/writes.ts'

export type { KubeUnderTest } from './kube-client/world.ts'

/** What we rely on of an API server, each as a sentence. Where two servers differ, the real one is right. */
export function exerciseKubeClient(name: string, make: () => Promise<KubeUnderTest>): void {
  describe(`${name} behaves like Kubernetes`, () => {
    const open: KubeUnderTest[] = []
    const fresh: Fresh = async () => {
      const world = await make()
      open.push(world)
      await defineWidgets(world)
      return world
    }
    afterEach(async () => {
      for (const world of open.splice(0)) await world.close?.()
    })

    exerciseApply(fresh)
    exerciseWrites(fresh)
    exerciseDeletion(fresh)
    exerciseReads(fresh)
    exerciseWatch(fresh)
  })
}

async function defineWidgets(world: KubeUnderTest): Promise<void> {
  const { client, namespace } = world
  await client.create(definitions, widgetDefinition).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error
  })
  await eventually(world, async () => void (await client.list(widgets, { namespace })))
}
