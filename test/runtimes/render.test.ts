import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { ClassRuntime } from '../../src/domains/runtimes/class-runtime.ts'
import { differs } from '../../src/domains/runtimes/apply/diff.ts'
import { resourceOf } from '../../src/domains/runtimes/watch/optional-kinds.ts'
import { unpack } from '../../src/domains/runtimes/package/index.ts'
import { TEMPLATES } from '../../src/domains/runtimes/templates/index.ts'
import { MANAGED_KINDS, MANAGER } from '../../src/domains/runtimes/types.ts'
import { installCrd, type Client, type Draft } from '../../src/kube/index.ts'
import { freshNamespace, testClient } from '../support/kube.ts'
import { installForeignKinds } from './optional-kinds.ts'

const SETTINGS = {
  profile: 'full',
  hpa: true,
  odgm: { image: 'registry.example.com/odgm:1.0.0', pullPolicy: 'IfNotPresent' },
  otlpEndpoint: 'http://collector.observability:4317',
} as const

const SAMPLES = ['testdata/runtimes/cart.yaml', 'examples/runtimes/greeter.yaml'] as const

async function sample(file: string): Promise<ClassRuntime> {
  return parse(await readFile(join(import.meta.dirname, '../..', file), 'utf8')) as ClassRuntime
}

/** As the API server would keep it; a controller of another test that saw it would begin to work on it. */
async function taken(client: Client, runtime: Draft<ClassRuntime>, namespace: string): Promise<ClassRuntime> {
  const { uid: _, ...metadata } = runtime.metadata
  return client.create(ClassRuntime, { ...runtime, metadata: { ...metadata, namespace } }, { dryRun: true })
}

beforeAll(async () => {
  await using client = await testClient()
  await installCrd(client, ClassRuntime)
  await installForeignKinds(client)
})

describe.each(SAMPLES)('%s', (file) => {
  test.each(TEMPLATES)('as $id is accepted by the API server and kept as it was rendered', async (template) => {
    await using client = await testClient()
    await using namespace = await freshNamespace(client)
    const runtime = await taken(client, await sample(file), namespace.name)

    const input = { runtime, settings: SETTINGS, served: MANAGED_KINDS, routers: [], handed: () => [] }
    const { children, problems } = template.render(input)

    expect(problems).toEqual([])
    expect(children.length).toBeGreaterThan(0)
    for (const { kind, name, object } of children) {
      const kept = await client.apply(resourceOf(kind), object, { fieldManager: MANAGER, dryRun: true })
      expect(differs(object, kept), `${kind}/${name}`).toEqual([])
    }
  })
})

test('the API server takes every runtime of the example package', async () => {
  await using client = await testClient()
  await using namespace = await freshNamespace(client)
  const source = await readFile(join(import.meta.dirname, '../../examples/runtimes/shop.opackage.yaml'), 'utf8')
  for (const { name, annotations, spec } of unpack(source, { environment: 'cloud' }).runtimes) {
    const runtime = {
      apiVersion: 'oaas.io/v1alpha1',
      kind: 'ClassRuntime',
      metadata: { name, annotations },
      spec,
    } as const
    const made = await taken(client, runtime, namespace.name)
    expect(made.spec).toMatchObject(spec)
  }
})

test('a class and a function with the longest names have children', async () => {
  await using client = await testClient()
  await using namespace = await freshNamespace(client)
  const { spec, ...rest } = await sample('examples/runtimes/greeter.yaml')
  const [fn] = spec.functions ?? []
  const functions = ['ü'.repeat(512), 'a-b', 'A b'].map((key) => ({ ...fn, function_key: key }))
  const name = `0${'a'.repeat(61)}.${'b'.repeat(137)}`.slice(0, 200)
  const long = { ...rest, metadata: { name }, spec: { ...spec, addons: ['odgm'], functions } }
  const runtime = await taken(client, long, namespace.name)

  for (const template of TEMPLATES) {
    const input = { runtime, settings: SETTINGS, served: MANAGED_KINDS, routers: [], handed: () => [] }
    for (const { kind, object } of template.render(input).children) {
      await client.apply(resourceOf(kind), object, { fieldManager: MANAGER, dryRun: true })
    }
  }
})
