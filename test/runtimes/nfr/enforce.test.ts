import { describe, expect, test } from 'vitest'
import {
  ClassRuntime,
  ENFORCER,
  KnativeService,
  MANAGER,
  type ClassRuntimeSpec,
  type Dimension,
  type Enforce,
} from '../../../src/domains/runtimes/index.ts'
import { applyEnforcement } from '../../../src/domains/runtimes/nfr/apply-enforcement.ts'
import { failureOf, systemClock } from '../../../src/kernel/index.ts'
import { Deployment, HorizontalPodAutoscaler, type KubeObject, type Resource } from '../../../src/kube/index.ts'
import { installForeignKinds } from '../optional-kinds.ts'
import { SETTINGS } from '../parts.ts'
import { fn, RuntimesWorld } from '../world.ts'

const NAME = 'shop--cart'
const MI = 2 ** 20

const container = {
  name: 'function',
  image: 'registry.example/hello:1',
  resources: { requests: { cpu: '100m', memory: '128Mi' } },
}
const labels = { app: NAME }
const template = {
  metadata: { labels },
  spec: { containers: [container, { name: 'sidecar', image: 'registry.example/side:1' }] },
}

class EnforceWorld {
  readonly world: RuntimesWorld
  readonly runtime: ClassRuntime

  constructor(world: RuntimesWorld, runtime: ClassRuntime) {
    this.world = world
    this.runtime = runtime
  }

  /** A runtime that nobody reconciles, so that the only one who acts is the enforcement. */
  static async make(world: RuntimesWorld, provision = {}): Promise<EnforceWorld> {
    return new EnforceWorld(world, await world.create('shop', { functions: [fn('cart', provision)] }))
  }

  /** As the controller applies its children. */
  async applied(resource: Resource, spec: object, manager = MANAGER): Promise<void> {
    const { group, version, kind } = resource
    const apiVersion = group === '' ? version : `${group}/${version}`
    await this.world.client.apply(resource, { apiVersion, kind, metadata: this.world.at(NAME), spec } as never, {
      fieldManager: manager,
    })
  }

  deployment(replicas?: number): Promise<void> {
    return this.applied(Deployment, {
      ...(replicas !== undefined && { replicas }),
      selector: { matchLabels: labels },
      template,
    })
  }

  autoscaler(minReplicas: number, manager = MANAGER): Promise<void> {
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: NAME }
    return this.applied(HorizontalPodAutoscaler, { minReplicas, maxReplicas: 5, scaleTargetRef }, manager)
  }

  enforce(path: Enforce['path'], to: number, dimension: Dimension = 'replicas'): Promise<void> {
    const kinds = { hpa: 'HorizontalPodAutoscaler', knative: 'KnativeService', deployment: 'Deployment' } as const
    const enforcing = {
      client: this.world.client,
      apis: { cacheOf: () => undefined },
      clock: systemClock,
      signal: new AbortController().signal,
    }
    return applyEnforcement(enforcing, this.runtime, {
      do: 'enforce',
      functionKey: 'cart',
      dimension,
      path,
      child: { kind: kinds[path], name: NAME },
      from: 1,
      to,
      isClamped: false,
      basis: 'a test',
      confidence: 1,
    })
  }

  async failure(path: Enforce['path'], to: number, dimension?: Dimension) {
    return failureOf(
      await this.enforce(path, to, dimension).then(
        () => 'nothing failed',
        (error: unknown) => error,
      ),
    )
  }

  async live<T extends KubeObject>(resource: Resource<T>): Promise<T> {
    const object = await this.world.client.get(resource, this.world.at(NAME))
    if (object === undefined) throw new Error(`expected ${resource.kind} ${NAME} to be there`)
    return object
  }
}

describe('the effect', () => {
  test('raises the least number of an autoscaler and leaves the rest of it alone', async () => {
    await using world = await RuntimesWorld.make()
    const one = await EnforceWorld.make(world)
    await one.autoscaler(1)
    await one.enforce('hpa', 3)
    const { spec, metadata } = await one.live(HorizontalPodAutoscaler)
    expect(spec).toMatchObject({ minReplicas: 3, maxReplicas: 5 })
    expect(metadata.annotations).toEqual({ 'oaas.io/enforced-replicas': '3' })
    const mine = metadata.managedFields?.find(({ manager }) => manager === ENFORCER)
    expect(JSON.stringify(mine?.fieldsV1)).toContain('"f:minReplicas"')
    // The controller leaves the field out from now on, and it stays.
    await one.applied(HorizontalPodAutoscaler, { maxReplicas: 5, scaleTargetRef: spec.scaleTargetRef })
    expect((await one.live(HorizontalPodAutoscaler)).spec.minReplicas).toBe(3)
  })

  test('scales the Deployment itself when the autoscaler has gone, without passing through 1', async () => {
    await using world = await RuntimesWorld.make()
    const one = await EnforceWorld.make(world)
    await one.deployment(5)
    const { resourceVersion = '' } = (await one.live(Deployment)).metadata
    await one.enforce('hpa', 3)
    await one.deployment()
    expect((await one.live(Deployment)).spec?.replicas).toBe(3)
    expect(await world.names(HorizontalPodAutoscaler)).toEqual([])
    const seen: unknown[] = []
    const where = { namespace: world.namespace, fields: `metadata.name=${NAME}`, resourceVersion }
    await world.client.patch(Deployment, world.at(NAME), { merge: { metadata: { labels: { last: 'yes' } } } })
    for await (const event of world.client.watchEvents(Deployment, where, AbortSignal.timeout(45_000))) {
      if (event.type !== 'MODIFIED') continue
      seen.push(event.object.spec?.replicas)
      if (event.object.metadata.labels?.['last'] === 'yes') break
    }
    expect(new Set(seen).isSubsetOf(new Set([3, 5]))).toBe(true)
  })

  test('writes the least number into the annotation that Knative reads', async () => {
    await using world = await RuntimesWorld.make()
    await installForeignKinds(world.client)
    const one = await EnforceWorld.make(world)
    const annotations = { 'autoscaling.knative.dev/minScale': '0', 'autoscaling.knative.dev/maxScale': '9' }
    await one.applied(KnativeService, { template: { metadata: { annotations }, spec: { containers: [container] } } })
    await one.enforce('knative', 4)
    const { spec } = await one.live(KnativeService)
    expect(spec.template.metadata?.annotations).toEqual({ ...annotations, 'autoscaling.knative.dev/minScale': '4' })
    expect(spec.template.spec.containers).toMatchObject([{ name: 'function', image: container.image }])
  })

  test('sets requests of the container of the function, and limits that go with them', async () => {
    await using world = await RuntimesWorld.make()
    const one = await EnforceWorld.make(world, { cpu_limit: '2' })
    await one.deployment(1)
    await one.enforce('deployment', 256 * MI, 'memory')
    await one.enforce('deployment', 2)
    await one.enforce('deployment', 150, 'cpu')
    const { spec, metadata } = await one.live(Deployment)
    expect(spec?.replicas).toBe(2)
    const [code, sidecar] = spec?.template.spec?.containers ?? []
    expect(code).toMatchObject({
      image: container.image,
      resources: { requests: { cpu: '150m', memory: '256Mi' }, limits: { cpu: '2', memory: '384Mi' } },
    })
    expect(sidecar?.resources).toEqual({})
    expect(Object.keys(metadata.annotations ?? {}).filter((name) => name.startsWith('oaas.io/'))).toEqual([
      'oaas.io/enforced-cpu',
      'oaas.io/enforced-memory',
      'oaas.io/enforced-replicas',
    ])
  })
})

describe('what goes wrong', () => {
  test('a field of somebody else stays theirs, and they are named', async () => {
    await using world = await RuntimesWorld.make()
    const one = await EnforceWorld.make(world)
    await one.deployment()
    await world.client.apply(
      Deployment,
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: world.at(NAME), spec: { replicas: 7 } } as never,
      { fieldManager: 'night-watch', force: true },
    )
    const { code, message } = await one.failure('deployment', 3)
    expect(code).toBe('RuntimeEnforceConflict')
    expect(message).toContain('.spec.replicas belongs to "night-watch"')
    expect((await one.live(Deployment)).spec?.replicas).toBe(7)
  })

  test.for<
    [
      why: string,
      prepare: (one: EnforceWorld) => Promise<void>,
      path: Enforce['path'],
      to: number,
      dimension: Dimension,
      code: string,
    ]
  >([
    ['a number that the autoscaler refuses', (one) => one.autoscaler(1), 'hpa', 9, 'replicas', 'RuntimeEnforceInvalid'],
    ['neither autoscaler nor workload', async () => {}, 'hpa', 3, 'replicas', 'RuntimeEnforceFallbackFailed'],
    ['no workload', async () => {}, 'deployment', 3, 'replicas', 'RuntimeEnforceFailed'],
    [
      'a request that the server refuses',
      (one) => one.deployment(1),
      'deployment',
      -1,
      'memory',
      'RuntimeEnforceInvalid',
    ],
  ])('%s', async ([, prepare, path, to, dimension, code]) => {
    await using world = await RuntimesWorld.make()
    const one = await EnforceWorld.make(world)
    await prepare(one)
    expect(await one.failure(path, to, dimension)).toMatchObject({ code })
  })

  test('a Deployment that refuses in place of its autoscaler', async () => {
    await using world = await RuntimesWorld.make()
    const one = await EnforceWorld.make(world)
    await one.deployment(1)
    const { code, message } = await one.failure('hpa', -3)
    expect(code).toBe('RuntimeEnforceFallbackFailed')
    expect(message).toContain('HorizontalPodAutoscaler shop--cart is gone')
  })
})

describe('through the controller', () => {
  const enforcement = { mode: 'enforce', dimensions: ['replicas'] } satisfies ClassRuntimeSpec['enforcement']
  const recommend = (world: RuntimesWorld, value: number, dimension: Dimension = 'replicas') =>
    world.client.patchStatus(ClassRuntime, world.at('shop'), {
      merge: {
        status: {
          nfr_recommendations: {
            [`${dimension}/cart`]: {
              value,
              at: new Date().toISOString(),
              confidence: 1,
              basis: '120 rps of 100 wanted',
            },
          },
        },
      },
    })

  test('a recommendation moves the autoscaler, is kept for the record and told as an event', async () => {
    await using world = await RuntimesWorld.make()
    await world.controller({ settings: { ...SETTINGS, render: { ...SETTINGS.render, hpa: true } } })
    await world.create('shop', { enforcement, functions: [fn('cart', { min_scale: 1, max_scale: 6 })] })
    await world.reaches('shop', 'available')
    await recommend(world, 3)
    await world.sees(HorizontalPodAutoscaler, NAME, ({ spec }) => spec.minReplicas === 3)
    const { status } = await world.sees(ClassRuntime, 'shop', (one) => one.status?.last_applied_at !== undefined)
    expect(status?.last_applied_recommendations).toMatchObject([
      { component: 'function', function_key: 'cart', dimension: 'replicas', target: 3, basis: '120 rps of 100 wanted' },
    ])
    await world.tells('NFRApplied')
  })

  const marksOf = ({ metadata }: KubeObject): string[] =>
    Object.keys(metadata.annotations ?? {}).filter((name) => name.startsWith('oaas.io/enforced-'))
  const managersOf = ({ metadata }: KubeObject): string[] =>
    (metadata.managedFields ?? []).flatMap(({ manager, subresource }) => (subresource === undefined ? manager : []))

  test('turned off, it gives the number of replicas back and never passes through a default', async () => {
    await using world = await RuntimesWorld.make()
    await world.controller()
    await world.create('shop', { enforcement, functions: [fn('cart', { min_scale: 2 })] })
    await world.reaches('shop', 'available')
    await recommend(world, 4)
    await world.sees(ClassRuntime, 'shop', ({ status }) => status?.nfr_state?.['replicas/cart']?.applied === 4)
    await world.sees(Deployment, NAME, (one) => one.metadata.annotations?.['oaas.io/handed-over'] === 'replicas')
    const seen = new Set<number | undefined>()
    const stop = await world.watches(Deployment, NAME, ({ spec }) => seen.add(spec?.replicas))
    await world.change('shop', { enforcement: { mode: 'observe' } })
    const back = await world.sees(Deployment, NAME, (one) => marksOf(one).length === 0)
    expect(back.spec?.replicas).toBe(2)
    expect(managersOf(back)).not.toContain(ENFORCER)
    await world.reaches('shop', 'available')
    await world.change('shop', { functions: [fn('cart', { min_scale: 3 })] })
    await world.sees(Deployment, NAME, ({ spec }) => spec?.replicas === 3)
    await stop()
    expect(seen.isSubsetOf(new Set([4, 2, 3]))).toBe(true)
  })

  test('turned off, it gives requests back in one rollout, though the limit that was made for them is smaller', async () => {
    await using world = await RuntimesWorld.make()
    await world.controller()
    const dimensions = ['cpu', 'memory'] satisfies Dimension[]
    const provision = { cpu_request: '800m', memory_request: '256Mi' }
    await world.create('shop', { enforcement: { mode: 'enforce', dimensions }, functions: [fn('cart', provision)] })
    await world.reaches('shop', 'available')
    await recommend(world, 450, 'cpu')
    const resourcesOf = ({ spec }: Deployment) => spec?.template.spec?.containers[0]?.resources
    // In two steps; the first one is not to be seen afterwards.
    await world.sees(ClassRuntime, 'shop', ({ status }) => status?.nfr_state?.['cpu/cart']?.applied === 450)
    await world.sees(Deployment, NAME, (one) => one.metadata.annotations?.['oaas.io/handed-over'] === 'cpu')
    await world.reaches('shop', 'available')
    const seen = new Set<string>()
    const stop = await world.watches(Deployment, NAME, (one) => seen.add(JSON.stringify(resourcesOf(one))))
    await world.change('shop', { enforcement: { mode: 'off' } })
    const back = await world.sees(Deployment, NAME, (one) => marksOf(one).length === 0)
    expect(resourcesOf(back)).toEqual({ requests: { cpu: '800m', memory: '256Mi' } })
    expect(managersOf(back)).not.toContain(ENFORCER)
    await world.reaches('shop', 'available')
    await stop()
    expect([...seen].slice(1)).toEqual([JSON.stringify(resourcesOf(back))])
  })

  test('turned off, it takes its number off an autoscaler of somebody else', async () => {
    await using world = await RuntimesWorld.make()
    await world.controller()
    await world.create('shop', { enforcement, functions: [fn('cart')] })
    await world.reaches('shop', 'available')
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: NAME }
    // Applied, so that the number it does not name belongs to nobody.
    await world.client.apply(HorizontalPodAutoscaler, {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: world.at('theirs'),
      spec: { scaleTargetRef, maxReplicas: 6 },
    })
    await world.sees(Deployment, NAME, (one) => one.metadata.annotations?.['oaas.io/handed-over'] === 'replicas')
    await recommend(world, 3)
    await world.sees(HorizontalPodAutoscaler, 'theirs', ({ spec }) => spec.minReplicas === 3)
    await world.sees(ClassRuntime, 'shop', ({ status }) => status?.nfr_state?.['replicas/cart']?.applied === 3)
    await world.change('shop', { enforcement: { mode: 'off' } })
    const back = await world.sees(HorizontalPodAutoscaler, 'theirs', (one) => marksOf(one).length === 0)
    expect(back.spec).toMatchObject({ minReplicas: 1, maxReplicas: 6 })
    expect(managersOf(back)).not.toContain(ENFORCER)
  })

  test('a request that an autoscaler measures a share of is left alone, until it does so no longer', async () => {
    await using world = await RuntimesWorld.make()
    await world.controller()
    await world.create('shop', {
      enforcement: { mode: 'enforce', dimensions: ['cpu'] },
      functions: [fn('cart', { cpu_request: '200m' })],
    })
    await world.reaches('shop', 'available')
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: NAME }
    const metadata = world.at('theirs')
    const theirs = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata } as const
    // Without a metric it scales by 80 % of the cpu that is requested.
    await world.client.create(HorizontalPodAutoscaler, { ...theirs, spec: { scaleTargetRef, maxReplicas: 6 } })
    await world.sees(Deployment, NAME, (one) => one.metadata.annotations?.['oaas.io/handed-over'] === 'replicas')
    await recommend(world, 400, 'cpu')
    const { status } = await world.sees(ClassRuntime, 'shop', (one) =>
      (one.status?.conditions ?? []).some(({ reason }) => reason === 'MeasuredByAutoscaler'),
    )
    expect(status?.phase).toBe('available')
    await world.tells('NFRSkippedAutoscaler', /theirs measures cpu as a share of it/)
    const target = { type: 'AverageValue', averageValue: '150m' }
    const merge = { spec: { metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }] } }
    await world.client.patch(HorizontalPodAutoscaler, metadata, { merge })
    await world.sees(Deployment, NAME, (one) => one.metadata.annotations?.['oaas.io/enforced-cpu'] !== undefined)
  })

  test('a recommendation scales the Deployment, and the next one again', async () => {
    await using world = await RuntimesWorld.make()
    await world.controller()
    await world.create('shop', { enforcement, functions: [fn('cart')] })
    await world.reaches('shop', 'available')
    await recommend(world, 4)
    await world.sees(Deployment, NAME, ({ spec }) => spec?.replicas === 4)
    await world.sees(ClassRuntime, 'shop', ({ status }) => status?.nfr_state?.['replicas/cart']?.applied === 4)
    await recommend(world, 2)
    await world.sees(Deployment, NAME, ({ spec }) => spec?.replicas === 2)
  })
})
