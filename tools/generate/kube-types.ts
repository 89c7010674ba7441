/**
 * Writes src/kube/types/ and src/kube/resources.ts from the schemas of a running API server:
 *
 *     node tools/generate/kube-types.ts <kubeconfig>
 *
 * Only the kinds listed here and what they refer to. Each kind becomes a type and, under the same name, the constant
 * that says where it lives.
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
// Not through the index of src/kube, which imports what is being generated.
import { loadKubeConfig } from '../../src/kube/config/config.ts'
import { httpTransport } from '../../src/kube/transport/http.ts'
import type { Transport } from '../../src/kube/transport/transport.ts'

const KINDS: Readonly<Record<string, readonly string[]>> = {
  'api/v1': [
    'ConfigMap',
    'LimitRange',
    'Namespace',
    'Node',
    'PersistentVolume',
    'PersistentVolumeClaim',
    'Pod',
    'ResourceQuota',
    'Secret',
    'Service',
    'ServiceAccount',
  ],
  'apis/admissionregistration.k8s.io/v1': [
    'MutatingWebhookConfiguration',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
    'ValidatingWebhookConfiguration',
  ],
  'apis/apiextensions.k8s.io/v1': ['CustomResourceDefinition'],
  'apis/apiregistration.k8s.io/v1': ['APIService'],
  'apis/apps/v1': ['DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'],
  'apis/autoscaling/v2': ['HorizontalPodAutoscaler'],
  'apis/batch/v1': ['Job'],
  'apis/coordination.k8s.io/v1': ['Lease'],
  'apis/discovery.k8s.io/v1': ['EndpointSlice'],
  'apis/events.k8s.io/v1': ['Event'],
  'apis/networking.k8s.io/v1': ['Ingress', 'NetworkPolicy'],
  'apis/policy/v1': ['PodDisruptionBudget'],
  'apis/rbac.authorization.k8s.io/v1': ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  'apis/storage.k8s.io/v1': ['StorageClass'],
}

const OUT = new URL('../../src/kube/types/', import.meta.url)

/** Definitions that are plain JSON types. */
const WORDS: Readonly<Record<string, string>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'string | number',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'number | string',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': 'string',
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': 'string',
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': 'Readonly<Record<string, unknown>>',
  'io.k8s.apimachinery.pkg.runtime.RawExtension': 'unknown',
  // Inside a template, where the server does not ask for a name; at the top it is the whole ObjectMeta.
  'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': 'Partial<ObjectMeta>',
}

interface Schema {
  readonly $ref?: string
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly type?: string
  readonly enum?: readonly string[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly required?: readonly string[]
  readonly description?: string
  readonly 'x-kubernetes-group-version-kind'?: ReadonlyArray<{ group: string; version: string; kind: string }>
}

interface Home {
  readonly plural: string
  readonly namespaced: boolean
}

interface Kind extends Home {
  readonly group: string
  readonly version: string
  readonly kind: string
}

const definitions = new Map<string, Schema>()
const kinds = new Map<string, Kind>()

async function learn(transport: Transport): Promise<void> {
  for (const [path, names] of Object.entries(KINDS)) {
    const document = (await transport.send({ method: 'GET', path: `/openapi/v3/${path}` })).body as {
      components: { schemas: Record<string, Schema> }
    }
    const listing = (await transport.send({ method: 'GET', path: `/${path}` })).body as {
      resources: { name: string; kind: string; namespaced: boolean }[]
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      definitions.set(name, schema)
      const kind = schema['x-kubernetes-group-version-kind']?.[0]
      const home = listing.resources.find((resource) => resource.kind === kind?.kind && !resource.name.includes('/'))
      if (kind === undefined || home === undefined || !names.includes(kind.kind)) continue
      if (path === ['apis', kind.group, kind.version].join('/') || path === `api/${kind.version}`) {
        kinds.set(name, { ...kind, plural: home.name, namespaced: home.namespaced })
      }
    }
    const missing = names.filter((name) => ![...kinds.values()].some((kind) => kind.kind === name))
    if (missing.length > 0) throw new Error(`failed to find ${missing.join(', ')} in /openapi/v3/${path}`)
  }
}

/** `io.k8s.api.apps.v1.Deployment` is `Deployment` in apps-v1.ts. */
function place(name: string): { readonly file: string; readonly type: string } {
  const parts = name.split('.')
  return { type: parts.at(-1) ?? name, file: parts.slice(-3, -1).join('-') }
}

const refOf = (schema: Schema): string | undefined =>
  schema.$ref?.replace('#/components/schemas/', '') ?? schema.allOf?.map(refOf)[0]

/** TypeScript for a schema; `mention` receives every definition it refers to. */
function typeText(schema: Schema, mention: (name: string) => void): string {
  const ref = refOf(schema)
  if (ref !== undefined) {
    if (WORDS[ref] === undefined && definitions.get(ref)?.properties === undefined) return 'unknown'
    mention(ref)
    // A kind inside another (a claim template) does not repeat what it is.
    return WORDS[ref] ?? (kinds.has(ref) ? `Omit<${place(ref).type}, 'apiVersion' | 'kind'>` : place(ref).type)
  }
  if (schema.enum !== undefined) return schema.enum.map((value) => `'${value}'`).join(' | ')
  if (schema.oneOf !== undefined) return schema.oneOf.map((one) => typeText(one, mention)).join(' | ')
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return `ReadonlyArray<${typeText(schema.items ?? {}, mention)}>`
    case 'object': {
      const values =
        typeof schema.additionalProperties === 'object' ? typeText(schema.additionalProperties, mention) : 'unknown'
      return `Readonly<Record<string, ${values}>>`
    }
    case undefined:
      return 'unknown'
    default:
      return schema.type
  }
}

/** Only the first sentence: the full text is in the Kubernetes reference. */
function comment(description: string | undefined, indent: string): string {
  const text = (description ?? '').split('\n\n')[0]?.replaceAll(/\s+/g, ' ').replaceAll('*/', '*\\/').trim() ?? ''
  const sentence = /^.+?\.(?=\s+[A-Z]|$)/.exec(text)?.[0] ?? text
  return sentence === '' ? '' : `${indent}/** ${sentence} */\n`
}

function interfaceText(name: string, schema: Schema, mention: (name: string) => void): string {
  const kind = kinds.get(name)
  const apiVersion = kind?.group ? `${kind.group}/${kind.version}` : kind?.version
  const fields = Object.entries(schema.properties ?? {}).map(([field, property]) => {
    const doc = comment(property.description, '  ')
    if (kind !== undefined && field === 'apiVersion') return `  readonly apiVersion: '${apiVersion}'\n`
    if (kind !== undefined && field === 'kind') return `  readonly kind: '${kind.kind}'\n`
    if (kind !== undefined && field === 'metadata') {
      mention('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta')
      return `  readonly metadata: ObjectMeta\n`
    }
    // The server refuses a kind without the required parts of its spec, so the spec itself is always there.
    const always =
      kind !== undefined && field === 'spec' && (definitions.get(refOf(property) ?? '')?.required ?? []).length > 0
    const optional = always || schema.required?.includes(field) ? '' : '?'
    const key = /^[A-Za-z_$][\w$]*$/.test(field) ? field : `'${field}'`
    return `${doc}  readonly ${key}${optional}: ${typeText(property, mention)}\n`
  })
  const type = place(name).type
  const text = `${comment(schema.description, '')}export interface ${type} {\n${fields.join('')}}\n`
  if (kind === undefined) return text
  const { group, version, plural, namespaced } = kind
  const fieldsOf = `group: '${group}', version: '${version}', kind: '${kind.kind}', plural: '${plural}', namespaced: ${namespaced}`
  return `${text}export const ${type}: Resource<${type}> = { ${fieldsOf} }\n`
}

function render(): Map<string, string> {
  const texts = new Map<string, { readonly uses: Map<string, Set<string>>; readonly blocks: Map<string, string> }>()
  const todo = [...kinds.keys()]
  const seen = new Set(todo)
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    const { file, type } = place(name)
    const entry = texts.get(file) ?? { uses: new Map<string, Set<string>>(), blocks: new Map<string, string>() }
    texts.set(file, entry)
    const use = (from: string, what: string): void =>
      void entry.uses.set(from, (entry.uses.get(from) ?? new Set()).add(what))
    if (kinds.has(name)) use('../objects.ts', 'Resource')
    const mention = (other: string): void => {
      if (other.endsWith('.ObjectMeta')) return use('../objects.ts', 'ObjectMeta')
      if (WORDS[other] !== undefined) return
      if (place(other).file !== file) use(`./${place(other).file}.ts`, place(other).type)
      if (seen.has(other)) return
      seen.add(other)
      todo.push(other)
    }
    entry.blocks.set(type, interfaceText(name, definitions.get(name) ?? {}, mention))
  }
  return new Map(
    [...texts].map(([file, { uses, blocks }]) => {
      const imports = [...uses]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([from, types]) => `import type { ${[...types].toSorted().join(', ')} } from '${from}'\n`)
      const body = [...blocks].toSorted(([a], [b]) => a.localeCompare(b)).map(([, text]) => text)
      return [
        `${file}.ts`,
        `// Generated by tools/generate/kube-types.ts; do not edit.\n${imports.join('')}\n${body.join('\n')}`,
      ]
    }),
  )
}

async function main(kubeconfig: string | undefined): Promise<void> {
  if (kubeconfig === undefined) throw new Error('failed to start: give the path of a kubeconfig')
  const transport = httpTransport(await loadKubeConfig({ path: kubeconfig }))
  await learn(transport)
  await transport.close()
  await mkdir(OUT, { recursive: true })
  for (const old of await readdir(OUT)) await rm(new URL(old, OUT))
  const files = render()
  const ports = [...kinds]
    .map(
      ([name, { kind }]) => `export { ${kind} } from './types/${place(name).file}.ts'
`,
    )
    .toSorted()
  files.set(
    '../resources.ts',
    `// Generated by tools/generate/kube-types.ts; do not edit.
${ports.join('')}`,
  )
  for (const [file, text] of files) await writeFile(new URL(file, OUT), text)
  console.log(`${kinds.size} kinds in ${files.size} files`)
}

await main(process.argv[2])
