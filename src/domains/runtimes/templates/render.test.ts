import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { golden } from '../../../../test/support/golden.ts'
import type { Deployment, HorizontalPodAutoscaler } from '../../../kube/index.ts'
import type { ClassRuntime, ClassRuntimeSpec, FunctionSpec } from '../class-runtime.ts'
import type { KnativeService } from '../watch/optional-kinds.ts'
import { MANAGED_KINDS, type Component, type HandedField, type ManagedKind, type Router } from '../types.ts'
import { managedKinds, TEMPLATES } from './index.ts'
import type { Rendered, RenderSettings, TemplateId } from './template.ts'

const SETTINGS: RenderSettings = {
  profile: 'full',
  hpa: true,
  odgm: { image: 'registry.example.com/odgm:1.0.0', pullPolicy: 'IfNotPresent' },
  otlpEndpoint: 'http://collector.observability:4317',
}

const CART = parse(
  readFileSync(join(import.meta.dirname, '../../../../testdata/runtimes/cart.yaml'), 'utf8'),
) as ClassRuntime

const runtimeWith = (spec: ClassRuntimeSpec): ClassRuntime => ({ ...CART, spec })

interface Options {
  readonly settings?: Partial<RenderSettings>
  readonly served?: readonly ManagedKind[]
  readonly routers?: readonly Router[]
  readonly handed?: Readonly<Partial<Record<ManagedKind, readonly HandedField[]>>>
}

function render(id: TemplateId, runtime: ClassRuntime, options: Options = {}): Rendered {
  const template = TEMPLATES.find((one) => one.id === id)
  if (template === undefined) throw new Error(`no template ${id}`)
  return template.render({
    runtime,
    settings: { ...SETTINGS, ...options.settings },
    served: options.served ?? MANAGED_KINDS,
    routers: options.routers ?? [{ service: 'router', port: 17447 }],
    handed: ({ kind }) => options.handed?.[kind] ?? [],
  })
}

const fn = (key: string, provision: FunctionSpec['provision_config'] = {}): FunctionSpec => ({
  function_key: key,
  provision_config: { container_image: 'registry.example.com/f:1', ...provision },
})

const names = ({ children }: Rendered): string[] => children.map(({ kind, name }) => `${kind}/${name}`)

interface Objects {
  readonly Deployment: Deployment
  readonly HorizontalPodAutoscaler: HorizontalPodAutoscaler
  readonly KnativeService: KnativeService
}

function child<K extends keyof Objects>(rendered: Rendered, kind: K, component: Component = 'function'): Objects[K] {
  const found = rendered.children.find((one) => one.kind === kind && one.component === component)
  if (found === undefined) throw new Error(`no ${kind} of ${component} among ${names(rendered).join()}`)
  return found.object as Objects[K]
}

describe.each(['k8s_deployment', 'knative', 'edge', 'dev'] as const)('template %s', (id) => {
  test('renders a class with one of everything as it is written down', () => {
    const { children, functions, problems } = render(id, CART)
    expect(problems).toEqual([])
    const documents = [{ functions }, ...children.map(({ object }) => object)]
    const text = documents.map((one) => stringify(one, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n')
    golden(`testdata/runtimes/rendered/cart-${id}.yaml`, text)
  })

  test('renders the same twice, and only kinds it declares', () => {
    expect(render(id, CART)).toEqual(render(id, CART))
    const template = TEMPLATES.find((one) => one.id === id)
    expect(render(id, CART).children.filter(({ kind }) => !template?.managed.includes(kind))).toEqual([])
  })

  test('gives every child its owner, and every pod the labels it is watched by', () => {
    for (const { object, component, functionKey } of render(id, CART).children) {
      expect(object.metadata.ownerReferences).toEqual([
        expect.objectContaining({ kind: 'ClassRuntime', name: 'cart', uid: CART.metadata.uid, controller: true }),
      ])
      const { labels = {} } = object.metadata
      expect(labels).toMatchObject({ 'oaas.io/owner': 'cart', 'oaas.io/component': component })
      expect('oaas.io/function' in labels).toBe(functionKey !== undefined)
      const pods = (object as { spec?: { template?: { metadata?: { labels?: object } } } }).spec?.template?.metadata
      if (pods !== undefined) {
        const { 'networking.knative.dev/visibility': _, ...ours } = labels
        expect(pods.labels).toEqual(ours)
      }
    }
  })

  test('a function renders the same children whatever stands beside it', () => {
    const keys = fc.uniqueArray(fc.oneof(fc.string({ minLength: 1, maxLength: 80 }), fc.constant('odgm')), {
      minLength: 1,
      maxLength: 6,
    })
    const blank = keys.filter((all) => all.every((key) => key.trim() !== ''))
    fc.assert(
      fc.property(blank, (all) => {
        const whole = render(id, runtimeWith({ functions: all.map((key) => fn(key)) }))
        expect(whole.problems).toEqual([])
        expect(new Set(names(whole)).size).toBe(whole.children.length)
        const reversed = render(id, runtimeWith({ functions: all.toReversed().map((key) => fn(key)) }))
        expect(names(reversed).toSorted()).toEqual(names(whole).toSorted())
        for (const key of all) {
          const alone = render(id, runtimeWith({ functions: [fn(key)] }))
          const of = (rendered: Rendered) => rendered.children.filter(({ functionKey }) => functionKey === key)
          expect(of(whole)).toEqual(of(alone))
          expect(of(reversed)).toEqual(of(alone))
        }
      }),
      { numRuns: 30 },
    )
  })

  test('ODGM is told the same, in whatever order functions and options stand', () => {
    const { spec } = CART
    const turned = {
      ...spec,
      functions: spec.functions?.toReversed() ?? [],
      odgm_config: { ...spec.odgm_config, options: { compaction: 'true', snapshot: '60' } },
    }
    const odgm = (rendered: Rendered) => child(rendered, 'Deployment', 'odgm')
    expect(odgm(render(id, runtimeWith(turned)))).toEqual(odgm(render(id, CART)))
  })

  test('ODGM joins the routers there are, in whatever order they are found', () => {
    const near = { service: 'a', port: 1 }
    const far = { service: 'b', port: 2 }
    const odgm = (...routers: Router[]) => JSON.stringify(child(render(id, CART, { routers }), 'Deployment', 'odgm'))
    expect(odgm(near, far)).toBe(odgm(far, near))
    expect(odgm(far, near)).toContain('"value":"tcp/a:1,tcp/b:2"')
    expect(odgm()).not.toContain('OPRC_ZENOH_PEERS')
  })

  test('without the addon there is no ODGM', () => {
    const rendered = render(id, runtimeWith({ addons: [], functions: [fn('greet')] }))
    expect(rendered.children.filter(({ component }) => component === 'odgm')).toEqual([])
  })

  test('environment variables are sorted, and each is there once', () => {
    for (const { object } of render(id, CART).children) {
      const { containers = [] } = (object as Deployment).spec?.template?.spec ?? {}
      for (const { env = [] } of containers) {
        const listed = env.map(({ name }) => name)
        expect(listed).toEqual([...new Set(listed)].toSorted())
      }
    }
  })
})

test('every managed kind is rendered by some template', () => {
  expect(managedKinds.toSorted()).toEqual([...MANAGED_KINDS].toSorted())
})

describe('functions that cannot run', () => {
  const problemsOf = (...functions: FunctionSpec[]) => render('k8s_deployment', runtimeWith({ functions })).problems

  test('a missing image names the field, and does not hold up the others', () => {
    const spec = { functions: [fn('good'), { function_key: 'bad' }] }
    const rendered = render('k8s_deployment', runtimeWith(spec))
    expect(rendered.problems).toEqual([
      {
        field: 'spec.functions[1].provision_config.container_image',
        message: 'function "bad" has no image; set it, or wasm_module_url for a function inside ODGM',
      },
    ])
    expect(names(rendered)).toContain('Deployment/cart--good')
    expect(rendered.functions.map(({ functionKey }) => functionKey)).toEqual(['good', 'bad'])
  })

  test.each([
    [{ cpu_request: 'lots' }, 'cpu_request', '"lots" is not a quantity; write 500m or 2'],
    [{ memory_limit: '1 Gi' }, 'memory_limit', '"1 Gi" is not a quantity; write 512Mi or 1Gi'],
    [{ memory_request: '-1Gi' }, 'memory_request', '"-1Gi" is not a quantity; write 512Mi or 1Gi'],
    [
      { memory_request: '2Gi', memory_limit: '1024Mi' },
      'memory_request',
      '2Gi must not exceed the limit, which is 1024Mi',
    ],
    [{ min_scale: 3, max_scale: 2 }, 'min_scale', 'must not exceed max_scale, which is 2; it is 3'],
    [{ wasm_module_url: 'x' }, 'wasm_module_url', 'an image and a WASM module exclude each other; remove one'],
    [
      { container_image: '${REGISTRY}/echo:1' },
      'container_image',
      '"${REGISTRY}/echo:1" contains a variable; write its value, such as registry.example.com/cart:1.0',
    ],
    [{ container_image: 'a b' }, 'container_image', '"a b" must not contain spaces'],
  ])('%j is refused', (provision, field, message) => {
    expect(problemsOf(fn('f', provision))).toEqual([{ field: `spec.functions[0].provision_config.${field}`, message }])
  })

  test('a key that is there twice is a mistake of the second', () => {
    expect(problemsOf(fn('a'), fn('a'))).toEqual([
      { field: 'spec.functions[1].function_key', message: '"a" is the key of functions[0] too' },
    ])
  })

  test('config cannot replace what the platform sets, nor hold what is no name', () => {
    expect(problemsOf({ ...fn('a'), config: { PORT: '1', '': 'x', FINE: 'y' } }).map(({ field }) => field)).toEqual([
      'spec.functions[0].config["PORT"]',
      'spec.functions[0].config[""]',
    ])
  })

  test('an unknown addon and a WASM module without ODGM are refused', () => {
    const functions = [{ function_key: 'w', provision_config: { wasm_module_url: 'https://example.com/w.wasm' } }]
    const { problems } = render('k8s_deployment', runtimeWith({ addons: ['odgn'], functions }))
    expect(problems.map(({ field }) => field)).toEqual([
      'spec.addons[0]',
      'spec.functions[0].provision_config.wasm_module_url',
    ])
  })
})

describe('scale', () => {
  const scaled = runtimeWith({ addons: [], functions: [fn('f', { min_scale: 2, max_scale: 5 })] })

  test('an autoscaler where there is room, and the installation wants them', () => {
    const { spec } = child(render('k8s_deployment', scaled), 'HorizontalPodAutoscaler')
    expect(spec).toMatchObject({ minReplicas: 2, maxReplicas: 5, scaleTargetRef: { name: 'cart--f' } })
    for (const [id, runtime, settings] of [
      ['k8s_deployment', scaled, { hpa: false }],
      ['k8s_deployment', runtimeWith({ functions: [fn('f', { min_scale: 2, max_scale: 2 })] }), {}],
      ['k8s_deployment', runtimeWith({ functions: [fn('f')] }), {}],
      ['dev', scaled, {}],
    ] as const) {
      expect(names(render(id, runtime, { settings }))).not.toContain('HorizontalPodAutoscaler/cart--f')
    }
  })

  test('what somebody else sets is left out, and said', () => {
    const handed = { Deployment: ['replicas', 'cpu'], HorizontalPodAutoscaler: ['minReplicas'] } as const
    const plain = runtimeWith({ functions: [fn('f', { min_scale: 2, max_scale: 5, cpu_request: '1' })] })
    const rendered = render('k8s_deployment', plain, { handed })
    const deployment = child(rendered, 'Deployment')
    expect(deployment.spec).not.toHaveProperty('replicas')
    expect(deployment.spec.template.spec?.containers[0]).not.toHaveProperty('resources')
    expect(child(rendered, 'HorizontalPodAutoscaler').spec).not.toHaveProperty('minReplicas')
    expect(rendered.children.map(({ handed: left }) => left).slice(0, 3)).toEqual([
      ['replicas', 'cpu'],
      [],
      ['minReplicas'],
    ])
  })

  test.for<[handed: readonly HandedField[], left: object | undefined]>([
    [[], { requests: { cpu: '1', memory: '64Mi' }, limits: { cpu: '2' } }],
    [['memory'], { requests: { cpu: '1' }, limits: { cpu: '2' } }],
    [['cpu'], { requests: { memory: '64Mi' } }],
    [['memory', 'cpu'], undefined],
  ])('of what a container asks for, all but %j is set', ([handed, left]) => {
    const sized = runtimeWith({ functions: [fn('f', { cpu_request: '1', cpu_limit: '2', memory_request: '64Mi' })] })
    const of = (id: TemplateId, kind: 'Deployment' | 'KnativeService') =>
      child(render(id, sized, { handed: { [kind]: handed } }), kind).spec.template.spec?.containers[0]?.resources
    expect(of('k8s_deployment', 'Deployment')).toEqual(left)
    expect(of('knative', 'KnativeService')).toEqual(left)
  })

  test('Knative hears of the scale by annotations', () => {
    const { spec } = child(render('knative', scaled), 'KnativeService')
    expect(spec.template.metadata?.annotations).toEqual({
      'autoscaling.knative.dev/minScale': '2',
      'autoscaling.knative.dev/maxScale': '5',
    })
    const handed = render('knative', scaled, { handed: { KnativeService: ['minScale'] } })
    const { metadata } = child(handed, 'KnativeService').spec.template
    expect(metadata?.annotations).toEqual({ 'autoscaling.knative.dev/maxScale': '5' })
    expect(handed.children[0]?.handed).toEqual(['minScale'])
  })

  test('one replica where nothing or 0 is asked for, and always in dev', () => {
    const replicas = (id: TemplateId, min_scale?: number) =>
      child(
        render(id, runtimeWith({ functions: [fn('f', min_scale === undefined ? {} : { min_scale })] })),
        'Deployment',
      ).spec.replicas
    expect([replicas('k8s_deployment'), replicas('k8s_deployment', 0), replicas('k8s_deployment', 3)]).toEqual([
      1, 1, 3,
    ])
    expect(replicas('dev', 3)).toBe(1)
  })
})

describe('telemetry', () => {
  const monitored = (served: readonly ManagedKind[], id: TemplateId = 'k8s_deployment') =>
    names(render(id, CART, { served })).filter((name) => name.includes('Monitor'))

  test('Services are scraped where that can be said, pods otherwise', () => {
    expect(monitored(MANAGED_KINDS)).toEqual(['ServiceMonitor/cart-svcmon'])
    expect(monitored(['PodMonitor'])).toEqual(['PodMonitor/cart-podmon'])
    expect(monitored([])).toEqual([])
    expect(monitored(MANAGED_KINDS, 'knative')).toEqual(['PodMonitor/cart-podmon'])
  })

  test('nobody is told where to send it, when there is no such place', () => {
    const { otlpEndpoint: _, ...settings } = SETTINGS
    const template = TEMPLATES.find(({ id }) => id === 'dev')
    const rendered = template?.render({ runtime: CART, settings, served: [], routers: [], handed: () => [] })
    expect(JSON.stringify(rendered)).not.toContain('OTEL_')
  })

  test('switched off, it is as if it were not there', () => {
    const { telemetry, ...rest } = CART.spec
    const off = runtimeWith({ ...rest, telemetry: { ...telemetry, enabled: false } })
    expect(render('edge', off)).toEqual(render('edge', runtimeWith(rest)))
  })
})
