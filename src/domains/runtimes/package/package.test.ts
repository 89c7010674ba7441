import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { MANAGED_KINDS } from '../types.ts'
import { chooseTemplate } from '../templates/index.ts'
import { unpack } from './index.ts'

const SHOP = readFileSync(join(import.meta.dirname, '../../../../examples/runtimes/shop.opackage.yaml'), 'utf8')

const image = { container_image: 'registry.example.com/f:1' }
const minimal = {
  name: 'demo',
  classes: [{ key: 'thing', function_bindings: [{ name: 'run', function_key: 'run' }] }],
  functions: [{ key: 'run', provision_config: image }],
  deployments: [{ key: 'thing', class_key: 'thing' }],
}
type Minimal = typeof minimal

const withDeployment = (more: object) => ({ ...minimal, deployments: [{ ...minimal.deployments[0], ...more }] })

const specOf = (source: unknown, environment?: string) =>
  unpack(source, environment === undefined ? {} : { environment }).runtimes[0]?.spec

describe('the example', () => {
  test('becomes one runtime for each deployment, as YAML and as an object', () => {
    const { runtimes, skipped, problems } = unpack(SHOP, { environment: 'cloud' })
    expect(problems).toEqual([])
    expect(skipped).toEqual([])
    expect(runtimes.map(({ name, spec }) => [name, spec.package_class_key, spec.selected_template])).toEqual([
      ['shop-cart', 'shop.cart', 'k8s_deployment'],
      ['shop-stock', 'shop.stock', 'k8s_deployment'],
    ])
    expect(unpack(parse(SHOP), { environment: 'cloud' }).runtimes).toEqual(runtimes)
  })

  test('has the functions that its class is bound to, and nothing of the others', () => {
    const [cart, stock] = unpack(SHOP).runtimes
    expect(cart?.spec.functions?.map(({ function_key }) => function_key)).toEqual([
      'cart-add',
      'cart-checkout',
      'cart-total',
    ])
    expect(stock?.spec.functions?.map(({ function_key }) => function_key)).toEqual(['stock-reserve'])
    expect(cart?.spec.odgm_config?.invocations?.fn_routes).toMatchObject({
      add: { function_key: 'cart-add' },
      total: { function_key: 'cart-total', stateless: true },
    })
    expect(cart?.spec.nfr_requirements).toEqual({
      min_throughput_rps: 200,
      availability_pct: 99.5,
      consistency: 'READ_YOUR_WRITE',
    })
  })

  test('renders without a problem', () => {
    for (const { name, spec } of unpack(SHOP, { environment: 'cloud' }).runtimes) {
      const { template } = chooseTemplate(spec, { profile: 'full', served: MANAGED_KINDS })
      const rendered = template?.render({
        runtime: { apiVersion: 'oaas.io/v1alpha1', kind: 'ClassRuntime', metadata: { name }, spec },
        settings: { profile: 'full', hpa: true, odgm: { image: 'odgm:1', pullPolicy: 'Always' } },
        served: MANAGED_KINDS,
        routers: [],
        handed: () => [],
      })
      expect(rendered?.problems).toEqual([])
    }
  })
})

describe('environments', () => {
  test('a template is chosen for the environment that is asked for', () => {
    const source = withDeployment({ env_templates: { cloud: 'kn', edge: 'edge' } })
    expect(specOf(source, 'cloud')?.selected_template).toBe('kn')
    expect(specOf(source, 'edge')?.selected_template).toBe('edge')
    expect(specOf(source, 'lab')).not.toHaveProperty('selected_template')
    expect(specOf(source)).not.toHaveProperty('selected_template')
  })

  test('what is for another environment, or deleted, is left out with its reason', () => {
    const { runtimes, skipped } = unpack(SHOP, { environment: 'store' })
    expect(runtimes.map(({ name }) => name)).toEqual(['shop-cart'])
    expect(skipped).toEqual([{ deploymentKey: 'shop-stock', because: 'it is for cloud, not for store' }])
    expect(unpack(withDeployment({ condition: 'DELETED' })).skipped).toEqual([
      { deploymentKey: 'thing', because: 'its condition is DELETED' },
    ])
  })
})

describe('what is said in a package', () => {
  test.each([
    [0.999, 99.9],
    [0.9999, 99.99],
    [1, 100],
    [0, 0],
    [0.07, 7],
  ])('availability %d is %d percent', (availability, pct) => {
    expect(specOf(withDeployment({ nfr_requirements: { availability } }))?.nfr_requirements).toEqual({
      availability_pct: pct,
    })
  })

  test('a deployment lays its own settings over a function', () => {
    const [fn] = minimal.functions
    const source = {
      ...withDeployment({
        functions: [{ function_key: 'demo.run', provision_config: { min_scale: 3 }, config: { B: '2' } }],
      }),
      functions: [{ ...fn, config: { A: '1', B: '1' } }],
    }
    expect(specOf(source)?.functions).toEqual([
      { function_key: 'run', provision_config: { ...image, min_scale: 3 }, config: { A: '1', B: '2' } },
    ])
  })

  test('the data grid is configured as it is written, with routes for what the class is bound to', () => {
    const odgm = {
      collections: ['things'],
      node_id: 2,
      env_node_ids: { cloud: [1, 2] },
      collection_assignments: { things: [1] },
      invocations: { fn_routes: { run: { url: 'http://elsewhere' } }, disabled_fn: ['old'] },
    }
    const invocations = { fn_routes: { run: { function_key: 'run', url: 'http://elsewhere' } }, disabled_fn: ['old'] }
    expect(specOf(withDeployment({ odgm }))?.odgm_config).toEqual({ ...odgm, invocations })
    expect(unpack(withDeployment({ odgm: { invocations: { disabled: [] } } })).problems).toEqual([
      {
        field: 'deployments[0].odgm.invocations.disabled',
        message: 'is not a known field; did you mean disabled_fn?',
      },
    ])
  })

  test('two bindings of one function are one function with two routes', () => {
    const bindings = [
      { name: 'go', function_key: 'run' },
      { name: 'jump', function_key: 'run' },
    ]
    const spec = specOf({ ...minimal, classes: [{ key: 'thing', function_bindings: bindings }] })
    expect(spec?.functions).toHaveLength(1)
    expect(Object.keys(spec?.odgm_config?.invocations?.fn_routes ?? {})).toEqual(['go', 'jump'])
  })

  test('functions of the platform itself become no workload', () => {
    expect(specOf({ ...minimal, functions: [{ key: 'run', function_type: 'BUILTIN' }] })).not.toHaveProperty(
      'functions',
    )
  })

  test.each([
    ['Shop/Cart', 'shop-cart'],
    ['shop..cart', 'shop.cart'],
    ['-x-', 'x'],
  ])('deployment %s is called %s', (key, name) => {
    expect(unpack(withDeployment({ key })).runtimes[0]).toMatchObject({
      name,
      deploymentKey: key,
      annotations: { 'oaas.io/deployment-key': key, 'oaas.io/package': 'demo' },
    })
  })
})

describe('mistakes', () => {
  const cases: ReadonlyArray<readonly [string, (good: Minimal) => unknown, string, string]> = [
    ['no name', ({ classes, functions }) => ({ classes, functions }), 'name', 'is required'],
    ['a mistyped field', (good) => ({ ...good, clases: [] }), 'clases', 'is not a known field; did you mean classes?'],
    [
      'a mistyped field deep inside',
      () => withDeployment({ nfr_requirements: { availabilty: 1 } }),
      'deployments[0].nfr_requirements.availabilty',
      'is not a known field; did you mean availability?',
    ],
    [
      'an availability in percent',
      () => withDeployment({ nfr_requirements: { availability: 99.9 } }),
      'deployments[0].nfr_requirements.availability',
      'must be at most 1, a part of 1: write 0.999 for 99.9 %',
    ],
    [
      'a type that does not exist',
      (good) => ({ ...good, functions: [{ key: 'run', function_type: 'JAVA' }] }),
      'functions[0].function_type',
      'must be one of BUILTIN, CUSTOM, MACRO, LOGICAL, WASM',
    ],
    ['an empty key', () => withDeployment({ key: '' }), 'deployments[0].key', 'must not be empty'],
    [
      'a key that leaves no name',
      () => withDeployment({ key: '///' }),
      'deployments[0].key',
      'must contain a letter or a digit: it becomes the name of the runtime',
    ],
    [
      'a class that is not there',
      () => withDeployment({ class_key: 'thnig' }),
      'deployments[0].class_key',
      'there is no class "thnig" in this package; did you mean thing?',
    ],
    [
      'a function that is not there',
      (good) => ({ ...good, functions: [] }),
      'classes[0].function_bindings[0].function_key',
      'there is no function "run" in this package; add it to functions',
    ],
    [
      'a class that is there twice',
      (good) => ({ ...good, classes: [...good.classes, ...good.classes] }),
      'classes[1].key',
      '"thing" is the key of classes[0] too',
    ],
    [
      'a function that is there twice',
      (good) => ({ ...good, functions: [...good.functions, ...good.functions] }),
      'functions[1].key',
      '"run" is the key of functions[0] too',
    ],
    [
      'two keys that become one name',
      (good) => ({ ...good, deployments: [...good.deployments, { key: 'Thing', class_key: 'thing' }] }),
      'deployments[1].key',
      'becomes the name thing, as deployments[0].key does; choose another',
    ],
    [
      'a function without an image',
      (good) => ({ ...good, functions: [{ key: 'run' }] }),
      'functions[0].provision_config.container_image',
      'function "run" has no image; set it, or wasm_module_url for a function inside ODGM',
    ],
    [
      'a WASM function without a module',
      (good) => ({ ...good, functions: [{ key: 'run', function_type: 'WASM' }] }),
      'functions[0].provision_config.wasm_module_url',
      'is required for a function of type WASM',
    ],
    [
      'an amount that is none',
      (good) => ({ ...good, functions: [{ key: 'run', provision_config: { ...image, memory_limit: '1GB' } }] }),
      'functions[0].provision_config.memory_limit',
      '"1GB" is not a quantity; write 512Mi or 1Gi',
    ],
    [
      'an unknown template',
      () => withDeployment({ env_templates: { cloud: 'lambda' } }),
      'deployments[0].env_templates.cloud',
      'unknown template "lambda"; choose one of: k8s_deployment, deployment, k8s, knative, kn, knsvc, edge, dev',
    ],
    [
      'a function that the class does not have',
      () => withDeployment({ functions: [{ function_key: 'other' }] }),
      'deployments[0].functions[0].function_key',
      'class thing has no binding to function "other"; bind it, or remove it here',
    ],
    [
      'another package',
      () => withDeployment({ package_name: 'else' }),
      'deployments[0].package_name',
      'must be the name of this package, demo',
    ],
    [
      'no deployment',
      ({ deployments: _none, ...good }) => good,
      'deployments',
      'must list a deployment of a class; without one nothing is created',
    ],
    ['no package at all', () => 'hello', 'package', 'must be object'],
    ['nothing', () => '', 'package', 'is empty; write a package'],
    ['two of them', () => 'name: a\n---\nname: b', 'package', 'holds several documents; send one at a time'],
  ]

  test.each(cases)('%s', (_case, spoil, field, message) => {
    const { runtimes, problems } = unpack(spoil(minimal))
    expect(problems).toEqual([{ field, message }])
    expect(runtimes).toEqual([])
  })

  test('what is not YAML says where, without repeating it', () => {
    const { problems } = unpack('name: a\nsecret: [hunter2')
    expect(problems[0]?.message).toMatch(/^is not YAML: .* at line 2, column \d+$/)
    expect(JSON.stringify(problems)).not.toContain('hunter2')
  })
})
