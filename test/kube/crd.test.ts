import { Type } from 'typebox'
import { expect, expectTypeOf, test } from 'vitest'
import { parse } from 'yaml'
import { Echo } from '../../examples/echo/echo.ts'
import {
  Anything,
  Conditions,
  CustomResourceDefinition,
  defineCrd,
  discovery,
  installCrd,
  IntOrString,
  isInvalid,
  mapList,
  type ObjectOf,
} from '../../src/kube/index.ts'
import { crdYaml } from '../../tools/generate/crd-yaml.ts'
import { freshNamespace, seen, testClient, testTransport } from '../support/kube.ts'

/** Of this file alone: echoes are answered by whatever controllers run at the same time, and these would write to ours. */
const Note = defineCrd({
  group: 'crds.example',
  version: 'v1',
  kind: 'Note',
  plural: 'notes',
  scope: 'Namespaced',
  spec: Type.Object({ message: Type.String({ maxLength: 1000 }) }),
  status: Type.Object({
    observedGeneration: Type.Optional(Type.Integer({ format: 'int64' })),
    conditions: Type.Optional(Conditions),
  }),
})

test('a kind defined in TypeScript is installed, typed, validated and has its status apart', async () => {
  await using client = await testClient()
  await using namespace = await freshNamespace(client)
  await installCrd(client, Note)
  await installCrd(client, Note)

  const metadata = { namespace: namespace.name, name: 'hello' }
  const note = await client.create(Note, {
    apiVersion: 'crds.example/v1',
    kind: 'Note',
    metadata,
    spec: { message: 'hi' },
  })
  expectTypeOf(note.spec).toEqualTypeOf<{ readonly message: string }>()
  expectTypeOf(note.kind).toEqualTypeOf<'Note'>()

  const tooLong = { ...note, spec: { message: 'x'.repeat(1001) } }
  const error: unknown = await client.replace(Note, tooLong).catch((cause: unknown) => cause)
  expect(isInvalid(error)).toBe(true)

  const condition = {
    type: 'Ready',
    status: 'True',
    observedGeneration: 1,
    lastTransitionTime: '2026-01-01T00:00:00Z',
    reason: 'Done',
    message: '',
  }
  const done = await client.applyStatus(Note, { metadata, status: { observedGeneration: 1, conditions: [condition] } })
  expect(done.metadata.generation).toBe(note.metadata.generation)
  expect(done.status?.conditions?.[0]).toEqual(condition)

  const other = { ...condition, type: 'Loud' }
  const both = await client.applyStatus(Note, { metadata, status: { conditions: [other] } }, { fieldManager: 'other' })
  expect(both.status?.conditions?.map(({ type }) => type)).toEqual(['Ready', 'Loud'])
})

test('every form of schema is accepted by the server, defaults and rules included', async () => {
  await using client = await testClient()
  const Everything = defineCrd({
    group: 'bench.example',
    version: 'v1alpha1',
    kind: 'Everything',
    plural: 'everythings',
    shortNames: ['evt'],
    categories: ['caelus'],
    scope: 'Cluster',
    description: 'All that a schema can say.',
    spec: Type.Object({
      choice: Type.Union([Type.Literal('a'), Type.Literal('b')], { default: 'a' }),
      maybe: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      port: Type.Optional(IntOrString),
      labels: Type.Optional(Type.Record(Type.String(), Type.String())),
      values: Type.Optional(Anything),
      ports: Type.Optional(
        mapList(Type.Object({ name: Type.String(), port: Type.Integer({ minimum: 1, maximum: 65_535 }) }), 'name'),
      ),
      min: Type.Integer({ default: 1 }),
      max: Type.Integer({ default: 5, 'x-kubernetes-validations': [{ rule: 'self <= 100', message: 'at most 100' }] }),
    }),
    status: Type.Object({ conditions: Type.Optional(Conditions) }),
    validations: [{ rule: 'self.spec.min <= self.spec.max', message: 'min must not exceed max' }],
    printerColumns: [{ name: 'Choice', type: 'string', jsonPath: '.spec.choice' }],
  })
  expectTypeOf<ObjectOf<typeof Everything>['spec']['choice']>().toEqualTypeOf<'a' | 'b'>()
  await installCrd(client, Everything)

  const named = (name: string, spec: object) =>
    ({ apiVersion: 'bench.example/v1alpha1', kind: 'Everything', metadata: { name }, spec }) as never
  const made = await client.create(
    Everything,
    named('ok', { port: 'http', values: { any: [1, { deep: true }] }, unknown: 1 }),
    { dryRun: true },
  )
  expect(made.spec).toEqual({ choice: 'a', min: 1, max: 5, port: 'http', values: { any: [1, { deep: true }] } })
  await expect(client.create(Everything, named('bad', { min: 9 }))).rejects.toThrow('min must not exceed max')
  await expect(client.create(Everything, named('bad', { max: 101 }))).rejects.toThrow('at most 100')
  await expect(client.create(Everything, named('bad', { choice: 'c' }))).rejects.toThrow('supported values: "a", "b"')

  await client.delete(CustomResourceDefinition, { name: Everything.manifest.metadata.name })
})

test('the file for deployment is the manifest', () => {
  expect(crdYaml(Echo)).toMatch(/^# Generated; do not edit\.\n/)
  expect(parse(crdYaml(Echo))).toEqual(Echo.manifest)
})

const isRefused = ({ status }: CustomResourceDefinition): boolean =>
  status?.conditions?.some((condition) => condition.type === 'NamesAccepted' && condition.status === 'False') ?? false

test('a definition that the server does not accept is reported with its reason', async () => {
  await using client = await testClient()
  const base = {
    group: 'crds.example',
    version: 'v1',
    scope: 'Namespaced',
    spec: Type.Object({}),
    status: Type.Object({}),
  } as const
  const clash = defineCrd({ ...base, kind: 'Note', plural: 'noten', singular: 'note' })
  const { name } = clash.manifest.metadata
  await installCrd(client, Note)
  await client.apply(CustomResourceDefinition, clash.manifest)
  await seen(client, CustomResourceDefinition, { name }, isRefused)
  await expect(installCrd(client, clash, { timeoutMs: 1_000 })).rejects.toThrow(
    /failed to install noten\.crds\.example: not established within 1000 ms, NamesAccepted is False: .*already in use/,
  )
  await client.delete(CustomResourceDefinition, { name })
})

test('discovery finds kinds, learns new ones, and does not ask again for those that are missing', async () => {
  await using client = await testClient()
  await using transport = await testTransport()
  const paths: string[] = []
  const counted = {
    ...transport,
    send: (request: Parameters<typeof transport.send>[0]) => (paths.push(request.path), transport.send(request)),
  }
  let now = 0
  const served = discovery(counted, { now: () => now, elapsed: () => now, after: () => () => {} })

  expect(await served.resourceFor('apps/v1', 'Deployment')).toMatchObject({
    group: 'apps',
    plural: 'deployments',
    namespaced: true,
  })
  expect(await served.resourceFor('v1', 'Namespace')).toMatchObject({
    group: '',
    plural: 'namespaces',
    namespaced: false,
    subresources: ['finalize', 'status'],
  })
  expect(await served.resourceFor('bench.example/v1', 'Novelty')).toBeUndefined()
  expect(paths).toEqual(['/api', '/apis'])

  const Novelty = defineCrd({
    group: 'bench.example',
    version: 'v1',
    kind: 'Novelty',
    plural: 'novelties',
    scope: 'Cluster',
    spec: Type.Object({}),
    status: Type.Object({}),
  })
  await installCrd(client, Novelty)
  expect(await served.resourceFor('bench.example/v1', 'Novelty')).toBeUndefined()
  const deadline = Date.now() + 20_000
  while ((await served.resourceFor('bench.example/v1', 'Novelty')) === undefined && Date.now() < deadline) now += 5_000
  expect(await served.resourceFor('bench.example/v1', 'Novelty')).toMatchObject({ plural: 'novelties' })
  await client.delete(CustomResourceDefinition, { name: 'novelties.bench.example' })
})
