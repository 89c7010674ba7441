import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import type { JsonObject } from '../../../src/domains/apps/index.ts'
import { coalesce, overridesIn } from '../../../src/domains/apps/values/chart-defaults.ts'
import { DEFAULT_LAYOUT, type Layout } from '../../../src/domains/apps/values/layout.ts'
import { releaseValues, systemValues } from '../../../src/domains/apps/values/values.ts'
import { CustomResourceDefinition } from '../../../src/kube/index.ts'
import { helmWorld, writeChart, type HelmWorld } from './world.ts'

let world: HelmWorld
beforeAll(async () => {
  world = await helmWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const configMap = (data: string) => ({
  'all.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: all }\ndata:\n  ${data}\n`,
})

/** The data of the only object of a chart with these templates and values. */
async function rendered(
  template: string,
  values: string,
  given: JsonObject,
): Promise<Readonly<Record<string, string>>> {
  const folder = await writeChart(world.tempDir, configMap(template), { values })
  const chart = await world.charts.fetch({ ref: folder, version: '1.0.0', digest: null })
  const [object] = await world.helm.render({ namespace: world.namespace, release: 'odd' }, chart, given)
  return (object as unknown as { readonly data: Readonly<Record<string, string>> }).data
}

/** What `given` and the defaults of a chart come to, by Helm itself. */
async function byHelm(values: string, given: JsonObject): Promise<JsonObject> {
  const { all } = await rendered('all: {{ toJson .Values | quote }}', values, given)
  return JSON.parse(all ?? '') as JsonObject
}

describe('the defaults of a chart', () => {
  const DEFAULTS: JsonObject = {
    top: null,
    secret: { name: null, key: null },
    deep: { a: { b: null, c: 1 } },
    list: [{ x: null }],
    user: { a: 1, b: null },
  }
  it.each<[string, JsonObject]>([
    ['nothing', {}],
    ['values', { secret: { name: 'q' }, top: 3 }],
    ['a null over a default', { user: { a: null }, deep: { a: null } }],
    ['a null over a null', { secret: { name: null }, top: null }],
    ['a null of its own', { fresh: { x: null }, deep: { a: { d: null } } }],
    ['other types', { deep: 3, top: { a: 1 }, list: [] }],
  ])('and %s come to what we think they do', async (_, given) => {
    expect(coalesce(DEFAULTS, given)).toEqual(await byHelm(stringify(DEFAULTS), given))
  })
})

it('a chart with empty defaults renders as it does without us', async () => {
  const values = 'existingDatabaseSecret:\n  name:\n  key:\nimage: nginx\n'
  const template = 'database: {{ if .Values.existingDatabaseSecret }}existing{{ else }}own{{ end }}'
  const defaults = { existingDatabaseSecret: { name: null, key: null }, image: 'nginx' }
  // As people do: a copy of values.yaml in which one line was changed.
  const written = { ...defaults, image: 'caddy' }
  expect(await rendered(template, values, {})).toEqual({ database: 'own' })
  expect(await rendered(template, values, written)).toEqual({ database: 'existing' })
  expect(await rendered(template, values, overridesIn(written, defaults))).toEqual({ database: 'own' })
})

describe('charts of other shapes', () => {
  const deployment = { id: '7', deploymentUid: 'm-1', namespaceName: 'm-1', domainname: 'chat.example.com' }
  it.each<[string, string, string, Partial<Layout>, JsonObject]>([
    [
      'takes its host at the root',
      'h: {{ required "serverName" .Values.serverName }}',
      '',
      { domainPaths: ['/serverName'] },
      {},
    ],
    [
      'takes its host deep inside',
      'h: {{ .Values.nextcloud.nextcloud.host }}',
      'nextcloud:\n  nextcloud:\n    host: nextcloud.local\n',
      { domainPaths: ['/nextcloud/nextcloud/host'] },
      {},
    ],
    [
      'takes its host in a list',
      'h: {{ with index .Values.ingress.hosts 0 }}{{ .host }}{{ index .paths 0 }}{{ end }}',
      'ingress:\n  hosts:\n    - host: chart.local\n      paths: [""]\n',
      { domainPaths: ['/ingress/hosts/0/host'] },
      {},
    ],
    ['reads its plan', 'h: {{ .Values.ingress.host }}{{ .Values.caelus.plan.storageSize | default "" }}', '', {}, {}],
    [
      'forbids ingress',
      'h: {{ if hasKey .Values "ingress" }}{{ fail "ingress is deprecated" }}{{ end }}{{ index .Values.server.hosts 0 }}',
      '',
      { domainPaths: ['/server/hosts/0'], ingressClassPaths: [] },
      {},
    ],
    [
      'has settings at the root',
      'h: {{ .Values.host }}\n  title: {{ .Values.title }}',
      'title: chart\nhost: x\n',
      { domainPaths: ['/host'], userValues: 'root' },
      { title: 'ours' },
    ],
  ])('one that %s', async (_, template, values, change, userValues) => {
    const layout = { ...DEFAULT_LAYOUT, ...change }
    const defaultValues = (parse(values) ?? {}) as JsonObject
    const { given } = releaseValues(
      { overrides: {}, defaultValues, layout },
      { userValues, system: systemValues(deployment, 'nginx', layout) },
    )
    expect(await rendered(template, values, given)).toEqual({ h: 'chat.example.com', ...userValues })
  })
})

it('definitions in crds/ are not installed with a release', async () => {
  const folder = await writeChart(world.tempDir, configMap('a: b'))
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'oddities.skipped.example.org' },
    spec: {
      group: 'skipped.example.org',
      scope: 'Namespaced',
      names: { kind: 'Oddity', plural: 'oddities' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  }
  await mkdir(join(folder, 'crds'))
  await writeFile(join(folder, 'crds/oddity.yaml'), stringify(definition))
  const chart = await world.charts.fetch({ ref: folder, version: '1.0.0', digest: null })
  const rollout = {
    chart,
    values: {},
    digest: 'a'.repeat(64),
    timeoutMs: 30_000,
    onFailure: 'keep',
    handOver: [],
  } as const
  await world.helm.install({ namespace: world.namespace, release: 'skips' }, rollout)
  expect(await world.client.get(CustomResourceDefinition, { name: definition.metadata.name })).toBeUndefined()
})
