import { afterEach, expect, test } from 'vitest'
import { createEmitter, failureOf, manualClock, seededRandom, startAll } from '../../../kernel/index.ts'
import type { Transport, WatchEvents } from '../../../kube/index.ts'
import { exampleCluster, exampleSettings } from '../fake/example.ts'
import { projectName } from '../shoot/names.ts'
import { wantedShoot, type GardenerSettings } from '../shoot/wanted.ts'
import { openGardener } from './client.ts'
import type { FencedWrite, Gardener } from './gardener.ts'
import { CredentialsBindings } from './resources.ts'
import { demoCredentials, GARDEN } from './stand-in/landscape.ts'
import { openMockGarden } from './stand-in/mock.ts'

const settings = {
  ...exampleSettings,
  credentialsBindingName: demoCredentials.metadata.name,
  credentialsFrom: GARDEN,
}

const cluster = {
  ...exampleCluster,
  nodePools: [{ id: 'p', name: 'default', machineType: 'local', autoscaleMin: 1, autoscaleMax: 3 }],
}

const write: FencedWrite = { fence: 1, assertLeased: () => {}, signal: new AbortController().signal }

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** A garden with a project for the organization; workers come with their own settings. */
async function stage(fixed: Partial<GardenerSettings> = {}) {
  const [clock, emitter] = [manualClock(0), createEmitter<WatchEvents>()]
  const garden = await openMockGarden({
    clock,
    random: seededRandom(1),
    emitter,
    ...(fixed.namespace !== undefined && { namespace: fixed.namespace }),
  })
  ends.push(await startAll(garden.services))
  const asked: string[] = []
  const transport: Transport = {
    ...garden.transport,
    send(request) {
      if (request.path.includes('/credentialsbindings')) asked.push(`${request.method} ${request.path}`)
      return garden.transport.send(request)
    },
  }
  const worker = (over: Partial<GardenerSettings> = {}) => {
    const own = { ...settings, ...fixed, ...over }
    const gardener = openGardener({ mode: 'mock', transport, settings: own, clock, emitter })
    const namespace = own.namespace ?? `garden-${project.name}`
    const apply = (autoscaleMax: number) => {
      const nodePools = cluster.nodePools.map((pool) => ({ ...pool, autoscaleMax }))
      return gardener.apply(wantedShoot({ ...cluster, nodePools }, own, namespace), write)
    }
    return {
      gardener,
      apply,
      bindingOf: async (name: string) => garden.operator.get(CredentialsBindings, { namespace, name }),
    }
  }
  const project = { name: projectName(cluster.organizationId), organizationId: cluster.organizationId }
  const ensured = async (gardener: Gardener): Promise<void> => {
    while ((await gardener.ensureProject(project, write)) === undefined) await clock.advance(500)
  }
  return { ...garden, worker, ensured, asked }
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no failure',
    (error: unknown) => failureOf(error).code,
  )

test('a binding that the settings name from now on is copied into projects that exist', async () => {
  const { operator, worker, ensured } = await stage()
  const before = worker()
  await ensured(before.gardener)
  await before.apply(3)
  const after = worker({ credentialsBindingName: 'renamed' })
  expect(await codeOf(after.apply(3))).toBe('GardenerMisconfigured')
  await operator.create(CredentialsBindings, { ...demoCredentials, metadata: { name: 'renamed', namespace: GARDEN } })
  expect((await after.apply(3)).spec.credentialsBindingName).toBe('renamed')
  expect((await after.bindingOf('renamed'))?.credentialsRef).toEqual(demoCredentials.credentialsRef)
})

test('a binding that was removed from a project is copied again', async () => {
  const { operator, worker, ensured, asked } = await stage()
  const { gardener, apply, bindingOf } = worker()
  await ensured(gardener)
  await apply(3)
  const { name } = demoCredentials.metadata
  const copy = (await bindingOf(name)) ?? expect.fail('it was not copied')
  asked.length = 0
  await apply(4)
  expect(asked).toEqual([])
  await operator.delete(CredentialsBindings, { namespace: copy.metadata.namespace ?? '', name })
  expect(await codeOf(apply(5))).toBe('GardenerMisconfigured')
  expect((await apply(5)).spec.provider.workers?.[0]?.maximum).toBe(5)
  expect(await bindingOf(name)).toBeDefined()
})

test('nothing is copied into the namespace that the settings name', async () => {
  const { worker, asked } = await stage({ namespace: 'garden-fundament' })
  expect((await worker().apply(3)).metadata.namespace).toBe('garden-fundament')
  expect(asked).toEqual([])
})
