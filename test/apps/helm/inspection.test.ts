import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it, test } from 'vitest'
import { inspectTemplate, type Trial } from '../../../src/domains/apps/inspection/inspect.ts'
import type { Finding, Inspection } from '../../../src/domains/apps/inspection/inspection.ts'
import { coalesce } from '../../../src/domains/apps/values/chart-defaults.ts'
import { helmCli } from '../../../src/domains/apps/helm/index.ts'
import type { JsonObject } from '../../../src/domains/apps/index.ts'
import { DEFAULT_LAYOUT, type Layout } from '../../../src/domains/apps/values/layout.ts'
import { discovery, Secret } from '../../../src/kube/index.ts'
import { testTransport } from '../../support/kube.ts'
import { codeOf } from '../store/world.ts'
import { helmWorld, ROOT, writeChart, type HelmWorld } from './world.ts'

let world: HelmWorld
let transport: Awaited<ReturnType<typeof testTransport>>
let trial: Trial
beforeAll(async () => {
  world = await helmWorld()
  transport = await testTransport()
  trial = { helm: world.helm, discovery: discovery(transport), ingressClass: 'nginx' }
})
afterAll(async () => {
  await transport[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const INGRESS = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web }
spec: { ingressClassName: {{ .Values.ingress.className }}, rules: [{ host: {{ .Values.ingress.host }} }] }
`
const role = (name: string, namespace = '') =>
  `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: { name: ${name}${namespace} }\nrules: []\n`

interface Odd {
  readonly templates?: Readonly<Record<string, string>>
  readonly values?: string
  /** Beside the templates. */
  readonly files?: Readonly<Record<string, string>>
  readonly overrides?: JsonObject
  readonly layout?: Partial<Layout>
  readonly trial?: Trial
}

async function inspected({
  templates = {},
  values = '',
  files = {},
  overrides = {},
  ...how
}: Odd): Promise<Inspection> {
  const folder = await writeChart(world.tempDir, { 'ingress.yaml': INGRESS, ...templates }, { values })
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  const chart = await world.charts.fetch({ ref: folder, version: '1.0.0', digest: null })
  return inspectTemplate(
    how.trial ?? trial,
    {
      overrides,
      defaultValues: coalesce(chart.defaultValues, overrides),
      valuesSchema: chart.valuesSchema,
      layout: { ...DEFAULT_LAYOUT, ...how.layout },
    },
    chart,
  )
}

const ROLLOUT = { values: {}, digest: 'a'.repeat(64), timeoutMs: 30_000, handOver: [] } as const

const said = ({ findings }: Inspection): string[] =>
  findings.map(({ code, severity, object }) => [severity, code, object].filter(Boolean).join(' '))

test.each(['hello-static', 'ledger', 'status-page'])('our own %s can be ordered', async (name) => {
  const chart = await world.charts.fetch({ ref: join(ROOT, 'charts', name), version: '0.1.0', digest: null })
  const { defaultValues, valuesSchema } = chart
  const inspection = await inspectTemplate(
    trial,
    { overrides: {}, defaultValues, valuesSchema, layout: DEFAULT_LAYOUT },
    chart,
  )
  // Nobody reaches a ledger from outside.
  expect(said(inspection)).toEqual(name === 'ledger' ? ['warning DomainNowhere'] : [])
})

it('tells where the domain ends up', async () => {
  const inspection = await inspected({})
  expect(inspection).toMatchObject({ findings: [], objects: ['Ingress/web'] })
  expect(inspection.domainAt).toEqual(['Ingress/web spec.rules[0].host'])
  expect(inspection.recordBytes).toBeGreaterThan(300)
  const elsewhere = await inspected({ layout: { domainPaths: ['/host'] }, values: 'ingress: { host: chart.local }\n' })
  expect([said(elsewhere), elsewhere.domainAt]).toEqual([['warning DomainNowhere'], []])
  expect(elsewhere.findings[0]?.message).toMatch(/say with domain_paths that it goes to ingress\.host$/)
})

it('names every object that a release may not create, and the values that switch it off', async () => {
  const { findings } = await inspected({
    values:
      'rbac: { create: true, namespaced: false, pspEnabled: true }\ncrds: { enabled: true }\nunrelated: { enabled: true }\n',
    templates: {
      'role.yaml': `{{ if and .Values.rbac.create (not .Values.rbac.namespaced) }}\n${role('reader')}{{ end }}`,
      'crd.yaml': `{{ if .Values.crds.enabled }}\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: widgets.example.org }\nspec: {}\n{{ end }}`,
      'always.yaml': role('always'),
      'hook.yaml': role('hooked').replace('hooked }', 'hooked, annotations: { helm.sh/hook: pre-install } }'),
      'test.yaml': role('tested').replace('tested }', 'tested, annotations: { helm.sh/hook: test } }'),
      'own.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: { name: {{ .Release.Namespace }} }\n',
      'foreign.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: foreign, namespace: kube-system }\n',
      'same.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: same, namespace: {{ .Release.Namespace }} }\n',
    },
  })
  expect(findings.filter(({ object }) => object === null)).toEqual([])
  const off = Object.fromEntries(findings.map(({ object, switchedOffBy }) => [object, switchedOffBy]))
  expect(off).toEqual({
    'ClusterRole/reader': ['rbac.namespaced=true', 'rbac.create=false'],
    'CustomResourceDefinition/widgets.example.org': ['crds.enabled=false'],
    'ClusterRole/always': [],
    'ClusterRole/hooked': [],
    'Namespace/sample-order': [],
    'ConfigMap/foreign': [],
  })
  expect(findings.every(({ code, severity }) => code === 'ObjectRefused' && severity === 'problem')).toBe(true)
})

it('sees what the values of the template switch off', async () => {
  const templates = { 'role.yaml': `{{ if .Values.rbac.create }}\n${role('reader')}{{ end }}` }
  const values = 'rbac: { create: true }\n'
  expect(said(await inspected({ templates, values }))).toEqual(['problem ObjectRefused ClusterRole/reader'])
  expect(said(await inspected({ templates, values, overrides: { rbac: { create: false } } }))).toEqual([])
})

it('tells why it cannot be rendered, without the secrets of the template', async () => {
  const inspection = await inspected({
    templates: { 'bad.yaml': '{{ fail (printf "deprecated: %s" .Values.password) }}' },
    values: 'password: correct-horse-battery\n',
    files: {
      'values.schema.json': JSON.stringify({ properties: { password: { type: 'string', writeOnly: true } } }),
    },
  })
  expect(said(inspection)).toEqual(['problem NotRendered'])
  expect(inspection.recordBytes).toBeNull()
  const [{ message } = { message: '' }] = inspection.findings
  expect(message).toContain('deprecated: ')
  expect(message).not.toContain('correct-horse')
})

it('fills in what a tenant must write', async () => {
  const properties = {
    title: { type: 'string', minLength: 10 },
    size: { enum: ['small', 'large'] },
    mail: { type: 'string', format: 'email' },
    nested: { type: 'object', required: ['count'], properties: { count: { type: 'integer', minimum: 3 } } },
  }
  const user = { type: 'object', required: ['title', 'size', 'mail', 'nested'], properties }
  const odd: Odd = {
    templates: {
      'map.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: m }\ndata: { a: {{ required "no title" .Values.user.title }}, n: "{{ .Values.user.nested.count }}" }\n',
    },
    files: { 'values.schema.json': JSON.stringify({ properties: { user } }) },
  }
  expect(said(await inspected(odd))).toEqual([])
  const pattern = { ...user, properties: { ...properties, title: { type: 'string', pattern: '^[A-Z]{3}-[0-9]+$' } } }
  const files = { 'values.schema.json': JSON.stringify({ properties: { user: pattern } }) }
  const templates = {
    'map.yaml': '{{ if not (regexMatch "^[A-Z]{3}-" .Values.user.title) }}{{ fail "bad title" }}{{ end }}',
  }
  expect(said(await inspected({ templates, files }))).toEqual(['warning NotRendered'])
})

it('misses dependencies and compares defaults with the schema', async () => {
  const about =
    'apiVersion: v2\nname: odd\nversion: 1.0.0\ndependencies:\n  - { name: postgresql, version: 1.0.0, repository: "https://charts.example.org" }\n  - { name: inside, version: 1.0.0 }\n'
  const files = {
    'Chart.yaml': about,
    'charts/inside/Chart.yaml': 'apiVersion: v2\nname: inside\nversion: 1.0.0\n',
  }
  expect(said(await inspected({ files }))).toEqual(['problem DependencyMissing'])
  const schema = { properties: { replicas: { type: 'integer' } } }
  const unfit = { values: 'replicas: many\n', files: { 'values.schema.json': JSON.stringify(schema) } }
  expect((await inspected(unfit)).findings).toMatchObject([
    { code: 'DefaultsUnfit', severity: 'problem', message: expect.stringContaining('/replicas') },
  ] satisfies Partial<Finding>[])
})

it('lists the definitions in crds/ that the control plane does not have', async () => {
  const crd = (kind: string) =>
    `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: x }\nspec:\n  group: odd.example.org\n  names: { kind: ${kind} }\n  versions: [{ name: v1, served: true }]\n`
  const inspection = await inspected({
    files: {
      'crds/a.yaml': `${crd('Widget')}---\n${crd('Gadget')}`,
      'charts/sub/crds/b.yaml': crd('Gizmo'),
      'charts/sub/Chart.yaml': 'apiVersion: v2\nname: sub\nversion: 1.0.0\n',
    },
    templates: { 'other.yaml': 'apiVersion: other.example.org/v1\nkind: Thing\nmetadata: { name: t }\n' },
  })
  expect(inspection.findings.map(({ code, severity, message }) => [code, severity, message.split(' ')[0]])).toEqual([
    ['KindMissing', 'warning', 'Gadget'],
    ['KindMissing', 'warning', 'Gizmo'],
    ['KindMissing', 'warning', 'Thing'],
    ['KindMissing', 'warning', 'Widget'],
  ])
  expect(inspection.customKinds.map(({ kind }) => kind)).toEqual(['Gadget', 'Gizmo', 'Thing', 'Widget'])
})

it('estimates the record of a release as Helm makes it, and says early when it gets too large', async () => {
  const noise = (bytes: number): string => {
    let seed = 1
    return Array.from({ length: bytes }, () => {
      seed = (seed * 48271) % 2147483647
      return String.fromCharCode(33 + (seed % 90))
    }).join('')
  }
  expect(said(await inspected({ files: { 'files/a.txt': noise(800_000) } }))).toEqual(['warning RecordLarge'])
  expect(said(await inspected({ files: { 'files/a.txt': noise(1_100_000) } }))).toEqual(['problem RecordTooLarge'])
  const huge = await writeChart(world.tempDir, {})
  await writeFile(join(huge, 'a.txt'), noise(1_100_000))
  const tooLarge = await world.charts.fetch({ ref: huge, version: '1.0.0', digest: null })
  const installed = world.helm.install({ namespace: world.namespace, release: 'huge' }, { ...ROLLOUT, chart: tooLarge })
  expect(await codeOf(installed)).toBe('ReleaseTooLarge')

  const folder = await writeChart(world.tempDir, {
    'map.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: m }\ndata: { a: {{ .Files.Get "a.txt" | quote }} }\n',
  })
  await writeFile(join(folder, 'a.txt'), 'x'.repeat(2_000) + noise(60_000).replaceAll(/["\\{}]/g, 'a'))
  const chart = await world.charts.fetch({ ref: folder, version: '1.0.0', digest: null })
  const { recordBytes } = await inspectTemplate(
    trial,
    { overrides: {}, defaultValues: {}, valuesSchema: null, layout: DEFAULT_LAYOUT },
    chart,
  )
  const target = { namespace: world.namespace, release: 'large' }
  await world.helm.install(target, { ...ROLLOUT, chart })
  const stored = await world.client.get(Secret, { namespace: world.namespace, name: 'sh.helm.release.v1.large.v1' })
  const bytes = Buffer.from(stored?.data?.['release'] ?? '', 'base64').length
  expect((recordBytes ?? 0) / bytes).toBeGreaterThan(0.85)
  expect((recordBytes ?? 0) / bytes).toBeLessThan(1.15)
})

it('renders without the control plane, and judges by what Kubernetes itself has while it is away', async () => {
  const away = { resourceFor: () => Promise.reject(new Error('away')), all: () => Promise.reject(new Error('away')) }
  const templates = {
    'look.yaml': '{{ if (lookup "v1" "Namespace" "" "kube-system") }}{{ fail "it sees the cluster" }}{{ end }}',
    'role.yaml': role('reader'),
    'widget.yaml': 'apiVersion: odd.example.org/v1\nkind: Widget\nmetadata: { name: w }\n',
  }
  const inspection = await inspected({ templates, trial: { ...trial, discovery: away } })
  expect(said(inspection)).toEqual(['problem ObjectRefused ClusterRole/reader'])
})

it('says nothing about a chart when Helm itself cannot be started', async () => {
  const helm = helmCli({
    binary: join(world.tempDir, 'no-helm'),
    kubeconfig: '/nowhere',
    kinds: { resourceFor: async () => undefined },
    home: join(world.tempDir, 'home'),
  })
  await expect(inspected({ trial: { ...trial, helm } })).rejects.toThrow('failed to start helm')
})

const RBAC = 'rbac.authorization.k8s.io'
const binding = (name: string, roleName: string, subject: string) =>
  `apiVersion: ${RBAC}/v1\nkind: ClusterRoleBinding\nmetadata: { name: "${name}" }\nroleRef: { apiGroup: ${RBAC}, kind: ClusterRole, name: "${roleName}" }\nsubjects: [${subject}]\n`
const OURS = '{ kind: ServiceAccount, name: web, namespace: "{{ .Release.Namespace }}" }'

test('says of each refused object what could be granted, and why not', async () => {
  const fullname = `{{ if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end }}`
  const { findings } = await inspected({
    templates: {
      'a.yaml': role(`"${fullname}"`).replace(
        'rules: []',
        'rules: [{ apiGroups: [""], resources: [secrets], verbs: [list] }]',
      ),
      'b.yaml': binding(fullname, fullname, OURS),
      'c.yaml': role('same-for-all'),
      'n.yaml': role('"{{ .Release.Name | trunc 26 }}-cut"'),
      'd.yaml': role('"{{ .Release.Name }}-{{ randAlphaNum 5 | lower }}"'),
      'e.yaml': role('"{{ .Release.Name }}-domain", labels: { host: "{{ .Values.ingress.host }}" }'),
      'f.yaml': binding('{{ .Release.Name }}-admin', 'cluster-admin', OURS),
      'g.yaml': binding('{{ .Release.Name }}-all', fullname, '{ kind: Group, name: "system:authenticated" }'),
      'h.yaml': role('"{{ .Release.Name }}-more", labels: { rbac.authorization.k8s.io/aggregate-to-admin: "true" }'),
      'i.yaml': role('"{{ .Release.Name }}-hook", annotations: { helm.sh/hook: pre-install }'),
      'j.yaml': role('system:mine'),
      'k.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: { name: mine }\n',
      'l.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: there, namespace: kube-system }\n',
      'm.yaml': `apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: { name: hook }\n`,
    },
  })
  const told = findings.flatMap(({ grant }) => (grant === undefined ? [] : [grant]))
  const granted = told.flatMap((one) => (one.grantable ? [one] : []))
  expect(
    granted.map(({ kind, name, objects, risks }) => ({ object: `${kind}/${name}`, forms: objects.length, risks })),
  ).toEqual(
    expect.arrayContaining([
      { object: 'ClusterRole/{release}-odd', forms: 2, risks: ['it reads the Secrets of everybody'] },
      { object: 'ClusterRoleBinding/{release}-odd', forms: 2, risks: [] },
      { object: 'ClusterRole/{release}-cut', forms: 1, risks: [expect.stringContaining('cuts long names')] },
      { object: 'ClusterRole/same-for-all', forms: 1, risks: [expect.stringContaining('only one can have it')] },
    ]),
  )
  expect(granted).toHaveLength(4)
  expect(told.flatMap((one) => (one.grantable ? [] : [one.because])).toSorted()).toEqual([
    'it binds the role cluster-admin, which is not one of the chart',
    'it depends on what is ordered, such as the domain',
    'it gives rights to others than service accounts of the release',
    'it is a hook, of which Helm does not note whose it is',
    'it is in a namespace of somebody else',
    'it is not the same each time the chart is rendered, so that nobody can review it',
    'its rules would become part of roles that others have (rbac.authorization.k8s.io/aggregate-to-…)',
    'system:mine is a name of the cluster itself',
    'the platform makes the namespace of a release',
    'what a ValidatingWebhookConfiguration does to the whole cluster cannot be told from its content',
  ])
})
