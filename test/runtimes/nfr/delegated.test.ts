import { expect, test } from 'vitest'
import { ClassRuntime, ENFORCER, MANAGER, type FunctionSpec } from '../../../src/domains/runtimes/index.ts'
import {
  Deployment,
  HorizontalPodAutoscaler,
  mergeFields,
  ownedFields,
  type CoreV1,
  type Draft,
} from '../../../src/kube/index.ts'
import type { StopAt } from '../controller-process.ts'
import { fn, RuntimesWorld, type Running } from '../world.ts'

/* Of what a container asks for, what is not enforced follows the spec. */

const NAME = 'shop--cart'
const HANDED = 'oaas.io/handed-over'
const MI = 2 ** 20

type Amount = 'memory' | 'cpu'
type Provision = NonNullable<FunctionSpec['provision_config']>

const PROVISION: Provision = {
  cpu_request: '100m',
  cpu_limit: '200m',
  memory_request: '128Mi',
  memory_limit: '256Mi',
}

const containerOf = (object: object): CoreV1.Container | undefined =>
  (object as { spec?: Deployment['spec'] }).spec?.template.spec?.containers.find(({ name }) => name === 'function')
const resourcesOf = (object: object) => containerOf(object)?.resources
/** What a manager has applied of what the container asks for, with its values. */
const ownedBy = (manager: string, live: Deployment) => resourcesOf(ownedFields(live, manager))
const handedOf = ({ metadata }: Deployment) => metadata.annotations?.[HANDED]

/** A runtime of which one dimension is enforced, and settled. */
async function enforced(
  world: RuntimesWorld,
  dimension: Amount,
  to: number,
  text: string,
  provision: Provision = {},
): Promise<Running> {
  const controller = await world.controller()
  await world.create('shop', {
    enforcement: { mode: 'enforce', dimensions: [dimension] },
    functions: [fn('cart', { ...PROVISION, ...provision })],
  })
  await world.reaches('shop', 'available')
  const recommendation = { value: to, at: new Date().toISOString(), confidence: 1, basis: 'a test' }
  const merge = { status: { nfr_recommendations: { [`${dimension}/cart`]: recommendation } } }
  await world.client.patchStatus(ClassRuntime, world.at('shop'), { merge })
  await world.sees(
    ClassRuntime,
    'shop',
    ({ status }) => status?.nfr_state?.[`${dimension}/cart`]?.applied === to && status.phase === 'available',
  )
  const isEnforced = (one: Deployment) =>
    resourcesOf(one)?.requests?.[dimension] === text && handedOf(one) === dimension
  await world.sees(Deployment, NAME, isEnforced)
  return controller
}

const asks = (world: RuntimesWorld, provision: Provision): Promise<void> =>
  world.change('shop', { functions: [fn('cart', provision)] })

interface Case {
  readonly dimension: Amount
  readonly to: readonly [number, string]
  /** Of the one that is enforced, with the limit that the spec names. */
  readonly enforced: CoreV1.ResourceRequirements
  readonly changed: Provision
  /** What the spec says of the other one then. */
  readonly arrived: CoreV1.ResourceRequirements
  /** The limit is not asked for any more, and the request is above the one that was. */
  readonly unlimited: Provision
  readonly last: CoreV1.ResourceRequirements
}

test.each<Case>([
  {
    dimension: 'memory',
    to: [192 * MI, '192Mi'],
    enforced: { requests: { memory: '192Mi' }, limits: { memory: '256Mi' } },
    changed: { ...PROVISION, cpu_request: '300m', cpu_limit: '400m' },
    arrived: { requests: { cpu: '300m' }, limits: { cpu: '400m' } },
    unlimited: { ...PROVISION, cpu_request: '500m', cpu_limit: '' },
    last: { requests: { cpu: '500m' } },
  },
  {
    dimension: 'cpu',
    to: [150, '150m'],
    enforced: { requests: { cpu: '150m' }, limits: { cpu: '200m' } },
    changed: { ...PROVISION, memory_request: '512Mi', memory_limit: '768Mi' },
    arrived: { requests: { memory: '512Mi' }, limits: { memory: '768Mi' } },
    unlimited: { ...PROVISION, memory_request: '1Gi', memory_limit: '' },
    last: { requests: { memory: '1Gi' } },
  },
])('while $dimension is enforced, the other one follows the spec', async (one) => {
  await using world = await RuntimesWorld.make()
  await enforced(world, one.dimension, ...one.to)
  const seen = new Set<string>()
  const tell = (live: Deployment) => seen.add(JSON.stringify(ownedBy(ENFORCER, live)))
  const stop = await world.watches(Deployment, NAME, tell)
  const has =
    ({ requests = {} }: CoreV1.ResourceRequirements) =>
    (live: Deployment) =>
      Object.entries(requests).every(([name, amount]) => resourcesOf(live)?.requests?.[name] === amount)

  await asks(world, one.changed)
  const arrived = await world.sees(Deployment, NAME, has(one.arrived))
  expect(resourcesOf(arrived)).toEqual(mergeFields(one.arrived, one.enforced))
  expect(ownedBy(MANAGER, arrived)).toEqual(one.arrived)
  expect(ownedBy(ENFORCER, arrived)).toEqual(one.enforced)

  await asks(world, one.unlimited)
  const last = await world.sees(Deployment, NAME, has(one.last))
  expect(resourcesOf(last)).toEqual(mergeFields(one.last, one.enforced))
  expect(ownedBy(MANAGER, last)).toEqual(one.last)
  await world.reaches('shop', 'available')
  await stop()
  expect([...seen]).toEqual([JSON.stringify(ownedBy(ENFORCER, arrived))])
})

/** The object as it was when all that a container asks for was handed over as one. */
async function handedAsOne(world: RuntimesWorld): Promise<Deployment> {
  const live = await world.client.get(Deployment, world.at(NAME))
  const say = (manager: string, ...parts: readonly object[]) => {
    const where = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: world.at(NAME) }
    const draft = [where, ...parts].reduce<unknown>(mergeFields, {}) as Draft<Deployment>
    return world.client.apply(Deployment, draft, { fieldManager: manager, force: true })
  }
  if (live === undefined) throw new Error(`expected Deployment ${NAME} to be there`)
  const containers = [{ name: 'function', resources: resourcesOf(live) }]
  await say(ENFORCER, ownedFields(live, ENFORCER), { spec: { template: { spec: { containers } } } })
  const ours = structuredClone(ownedFields(live, MANAGER)) as unknown as Deployment
  delete (containerOf(ours) as { resources?: unknown } | undefined)?.resources
  return say(MANAGER, ours, { metadata: { annotations: { [HANDED]: 'resources', 'oaas.io/rendered-fields': 'old' } } })
}

const HALFWAY: StopAt = { when: 'after', method: 'PATCH', path: `/deployments/${NAME}$`, fieldManager: MANAGER }

test.each<{ readonly how: string; readonly stopAt?: StopAt }>([
  { how: 'at once' },
  { how: 'by another when the first was stopped halfway', stopAt: HALFWAY },
])('what went along with it is given back in one rollout, $how', async ({ stopAt }) => {
  await using world = await RuntimesWorld.make()
  const maker = await enforced(world, 'memory', 192 * MI, '192Mi')
  await maker.stop()
  const before = await handedAsOne(world)
  expect(ownedBy(MANAGER, before)).toBeUndefined()
  expect(ownedBy(ENFORCER, before)).toEqual(resourcesOf(before))
  // More than the limit that nobody asks for any more.
  await asks(world, { ...PROVISION, cpu_request: '500m', cpu_limit: '' })
  const seen = new Set<string>()
  const stop = await world.watches(Deployment, NAME, (live) => seen.add(JSON.stringify(resourcesOf(live))))
  if (stopAt !== undefined) {
    const first = await world.process({ stopAt })
    await first.reached
    await first.kill()
    const halfway = await world.sees(Deployment, NAME, (one) => resourcesOf(one)?.requests?.['cpu'] === '500m')
    expect(ownedBy(ENFORCER, halfway)).toEqual(resourcesOf(halfway))
    expect(handedOf(halfway)).toBe('resources')
  }
  await world.controller()
  const back = await world.sees(Deployment, NAME, (one) => handedOf(one) === 'memory')
  expect(ownedBy(MANAGER, back)).toEqual({ requests: { cpu: '500m' } })
  expect(ownedBy(ENFORCER, back)).toEqual({ requests: { memory: '192Mi' }, limits: { memory: '256Mi' } })
  expect(resourcesOf(back)).toEqual({ requests: { cpu: '500m', memory: '192Mi' }, limits: { memory: '256Mi' } })
  await world.reaches('shop', 'available')
  await stop()
  expect([...seen]).toEqual([before, back].map((one) => JSON.stringify(resourcesOf(one))))
})

test('what is handed over while something is given back keeps its value', async () => {
  await using world = await RuntimesWorld.make()
  const maker = await enforced(world, 'memory', 192 * MI, '192Mi', { min_scale: 3 })
  await maker.stop()
  await world.change('shop', { enforcement: { mode: 'off' } })
  await world.client.create(HorizontalPodAutoscaler, {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: world.at('theirs'),
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: NAME }, minReplicas: 3, maxReplicas: 6 },
  })
  const seen = new Set<number | undefined>()
  const stop = await world.watches(Deployment, NAME, ({ spec }) => seen.add(spec?.replicas))
  await world.controller()
  const back = await world.sees(
    Deployment,
    NAME,
    (one) => handedOf(one) === 'replicas' && one.metadata.annotations?.['oaas.io/enforced-memory'] === undefined,
  )
  expect(resourcesOf(back)).toMatchObject({ requests: { memory: '128Mi' } })
  await world.reaches('shop', 'available')
  await stop()
  expect([...seen]).toEqual([3])
})
