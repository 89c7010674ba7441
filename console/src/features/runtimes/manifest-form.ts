import { refusalsOf } from '../../components/forms/index.ts'
import type { JsonObject } from '../../components/forms/index.ts'
import type { RuntimeManifest, RuntimePreviewView, RuntimeSpec, TemplateFormView } from '../../lib/api/contract.ts'
import type { RuntimeRef } from './paths.ts'

const text = (title: string, more: JsonObject = {}): JsonObject => ({ type: 'string', title, ...more })
const count = (title: string, more: JsonObject = {}): JsonObject => ({ type: 'integer', title, minimum: 0, ...more })

const quantity = (title: string, example: string): JsonObject =>
  text(title, { pattern: '^[0-9]+(\\.[0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$', examples: [example] })

const FUNCTION: JsonObject = {
  type: 'object',
  required: ['function_key'],
  properties: {
    function_key: text('Key', { minLength: 1, maxLength: 512, examples: ['checkout'] }),
    description: text('What it does'),
    provision_config: {
      type: 'object',
      title: 'Container',
      properties: {
        container_image: text('Image', { examples: ['registry.example.com/shop/checkout:1.4.0'] }),
        wasm_module_url: text('WASM module', { description: 'Instead of an image: it runs inside the data grid.' }),
        port: { type: 'integer', title: 'Port', minimum: 1, maximum: 65_535 },
        min_scale: count('Fewest replicas'),
        max_scale: count('Most replicas', { description: '0 or nothing: as many as the platform allows.' }),
        cpu_request: quantity('CPU request', '100m'),
        cpu_limit: quantity('CPU limit', '500m'),
        memory_request: quantity('Memory request', '128Mi'),
        memory_limit: quantity('Memory limit', '256Mi'),
      },
    },
    config: {
      type: 'object',
      title: 'Settings',
      description: 'Become the environment of the function.',
      additionalProperties: { type: 'string' },
    },
  },
}

const TEMPLATES: readonly (readonly [id: string, title: string])[] = [
  ['k8s_deployment', 'Deployments (k8s_deployment)'],
  ['knative', 'Knative services (knative)'],
  ['edge', 'Small footprint (edge)'],
  ['dev', 'Development (dev)'],
]

/** A template may have been written by an alias, which stays what it is until another one is chosen. */
const templateChoices = (written: string | undefined): JsonObject[] => [
  ...TEMPLATES.map(([id, title]) => ({ const: id, title })),
  ...(written === undefined || TEMPLATES.some(([id]) => id === written) ? [] : [{ const: written, title: written }]),
]

/** What nothing said would mean is proposed for a new one; in one that exists it is left unsaid. */
const fieldsOf = (before: RuntimeSpec | undefined): JsonObject => ({
  package_class_key: text('Class', { description: 'The class of objects whose functions these are.' }),
  selected_template: {
    title: 'Template',
    description: 'What the functions run as. Nothing: the controller chooses what fits.',
    oneOf: templateChoices(before?.selected_template),
  },
  functions: { type: 'array', title: 'Functions', items: FUNCTION },
  addons: {
    type: 'array',
    title: 'Add-ons',
    description: 'odgm is the data grid that keeps the state of objects.',
    uniqueItems: true,
    items: { enum: ['odgm'] },
    default: ['odgm'],
  },
  nfr_requirements: {
    type: 'object',
    title: 'Requirements',
    properties: {
      min_throughput_rps: { type: 'number', title: 'Requests per second, at least', minimum: 0 },
      max_latency_ms: { type: 'number', title: 'Milliseconds per request, at most', minimum: 0 },
      availability_pct: { type: 'number', title: 'Availability in percent, at least', minimum: 0, maximum: 100 },
    },
  },
  enforcement: {
    type: 'object',
    title: 'Recommendations',
    properties: {
      mode: {
        title: 'Mode',
        description: 'Whether they are ignored, told, or put into effect.',
        oneOf: [{ const: 'off' }, { const: 'observe' }, { const: 'enforce' }],
        ...(before === undefined && { default: 'observe' }),
      },
      dimensions: {
        type: 'array',
        title: 'Dimensions',
        description: 'Changing memory or CPU restarts pods.',
        uniqueItems: true,
        items: { enum: ['replicas', 'memory', 'cpu'] },
        ...(before === undefined && { default: ['replicas'] }),
      },
    },
  },
})

const DNS = '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$'
const LABEL = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'

const IDENTITY: JsonObject = {
  name: text('Name', { pattern: DNS, minLength: 1, maxLength: 253, examples: ['shop'] }),
  namespace: text('Namespace', { pattern: LABEL, minLength: 1, maxLength: 63, default: 'default' }),
}

/** The form of a runtime. With `before`, of one whose name stands; fields that it does not show are left as they are. */
export function manifestForm(before?: RuntimeSpec): TemplateFormView {
  return {
    enabled: true,
    schema: {
      type: 'object',
      required: before === undefined ? ['name', 'namespace'] : [],
      properties: { ...(before === undefined && IDENTITY), ...fieldsOf(before) },
    },
    ui_hints: [],
    defaults: {},
    hidden: [],
  }
}

/** What is filled in, as one would write it for kubectl. */
export function manifestOf(values: JsonObject, ref?: RuntimeRef): RuntimeManifest {
  const { name, namespace, ...spec } = values
  return {
    apiVersion: 'oaas.io/v1alpha1',
    kind: 'ClassRuntime',
    metadata: { name: ref?.name ?? textIn(name), namespace: ref?.namespace ?? textIn(namespace) },
    spec,
  }
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Where in the form something belongs that the server says about a field of the manifest. */
export function placesOf(problems: RuntimePreviewView['problems']): ReadonlyMap<string, string> {
  const { plain } = refusalsOf({ errors: problems })
  return new Map([...plain].map(([field, message]) => [`/${field.replace(/^(spec|metadata)\//, '')}`, message]))
}
