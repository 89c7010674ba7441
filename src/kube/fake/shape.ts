import { isObject, type Json, listAt, objectAt } from './json.ts'
import type { KindInfo } from './registry.ts'

/** A field that identifies a list item, with its default. */
interface ItemKey {
  readonly name: string
  readonly default?: unknown
}

/** How a value is merged. An atomic value is owned and replaced as one. */
export interface Shape {
  readonly list: 'atomic' | 'set' | readonly ItemKey[]
  readonly atomicObject: boolean
  /** `named`: a field of a structure, not an entry of a map whose keys are data. */
  readonly field: (name: string) => Field
  readonly item: Shape
}

interface Field {
  readonly shape: Shape
  readonly named: boolean
}

export const shapeOf = (kind: KindInfo): Shape => (kind.custom ? customRoot(kind.schema ?? {}) : BUILT_IN)

const keys = (...names: readonly string[]): readonly ItemKey[] =>
  names.map((name) => (name === 'protocol' ? { name, default: 'TCP' } : { name }))

/*
 * A table by field name replaces the schemas of built-in kinds, which use the same names for the same lists.
 * Lists that are not in the table are atomic, objects are not.
 */
const LISTS: Readonly<Record<string, readonly ItemKey[] | 'set'>> = {
  conditions: keys('type'),
  containers: keys('name'),
  env: keys('name'),
  ephemeralContainers: keys('name'),
  finalizers: 'set',
  hostAliases: keys('ip'),
  imagePullSecrets: keys('name'),
  initContainers: keys('name'),
  ownerReferences: keys('uid'),
  resourceClaims: keys('name'),
  schedulingGates: keys('name'),
  secrets: keys('name'),
  topologySpreadConstraints: keys('topologyKey', 'whenUnsatisfiable'),
  volumeDevices: keys('devicePath'),
  volumeMounts: keys('mountPath'),
  volumes: keys('name'),
  webhooks: keys('name'),
}

const ATOMIC_OBJECTS: ReadonlySet<string> = new Set([
  'configMapKeyRef',
  'fieldRef',
  'namespaceSelector',
  'nodeSelector',
  'objectSelector',
  'podSelector',
  'resourceFieldRef',
  'roleRef',
  'scaleTargetRef',
  'secretKeyRef',
  'secretRef',
  'selector',
])

const MAPS: ReadonlySet<string> = new Set([
  'allocatable',
  'annotations',
  'binaryData',
  'capacity',
  'data',
  'hard',
  'labels',
  'limits',
  'matchLabels',
  'requests',
  'stringData',
  'used',
])

const LEAF: Shape = {
  list: 'atomic',
  atomicObject: true,
  field: () => LEAF_FIELD,
  get item() {
    return LEAF
  },
}

const LEAF_FIELD: Field = { shape: LEAF, named: false }

/** A map of scalars, such as labels. */
const MAP: Shape = { list: 'atomic', atomicObject: false, field: () => LEAF_FIELD, item: LEAF }

const byName = new Map<string, Field>()

function builtInField(name: string, within: string): Field {
  const place = name === 'ports' ? `${within}/ports` : name
  const known = byName.get(place)
  if (known !== undefined) return known
  const field = { shape: MAPS.has(name) ? MAP : structure(name, within), named: true }
  byName.set(place, field)
  return field
}

function structure(name: string, within: string): Shape {
  let item: Shape | undefined
  return {
    list: name === 'ports' ? keys(within === 'spec' ? 'port' : 'containerPort', 'protocol') : (LISTS[name] ?? 'atomic'),
    atomicObject: ATOMIC_OBJECTS.has(name),
    field: (below) => builtInField(below, name),
    get item() {
      return (item ??= structure(`${name}[]`, name))
    },
  }
}

const BUILT_IN: Shape = structure('', '')

const customShapes = new WeakMap<Json, Shape>()

/** The schema of a custom resource does not cover `metadata`. */
const customRoot = (schema: Json): Shape => {
  const { list, atomicObject, field } = customShape(schema)
  return {
    list,
    atomicObject,
    item: LEAF,
    field: (name) => (name === 'metadata' ? builtInField('metadata', '') : field(name)),
  }
}

function customShape(schema: Json): Shape {
  const known = customShapes.get(schema)
  if (known !== undefined) return known
  const listType = schema['x-kubernetes-list-type']
  const items = objectAt(schema, 'items')
  const properties = objectAt(schema, 'properties')
  const fields = new Map<string, Field>()
  const rest = schema['additionalProperties']
  const unnamed: Field = { shape: isObject(rest) ? customShape(rest) : UNKNOWN, named: false }
  const shape: Shape = {
    list: listType === 'set' ? 'set' : listType === 'map' ? itemKeys(schema, items) : 'atomic',
    atomicObject: schema['x-kubernetes-map-type'] === 'atomic',
    field(name) {
      const made = fields.get(name)
      if (made !== undefined) return made
      const property = properties[name]
      if (!isObject(property)) return unnamed
      const field = { shape: customShape(property), named: true }
      fields.set(name, field)
      return field
    },
    get item() {
      return customShape(items)
    },
  }
  customShapes.set(schema, shape)
  return shape
}

/** Below `x-kubernetes-preserve-unknown-fields`: objects merge by key, lists are replaced. */
const UNKNOWN: Shape = {
  list: 'atomic',
  atomicObject: false,
  field: () => UNKNOWN_FIELD,
  get item() {
    return UNKNOWN
  },
}

const UNKNOWN_FIELD: Field = { shape: UNKNOWN, named: false }

const itemKeys = (schema: Json, items: Json): readonly ItemKey[] =>
  listAt(schema, 'x-kubernetes-list-map-keys').map((name) => {
    const property = objectAt(objectAt(items, 'properties'), String(name))
    return { name: String(name), ...('default' in property && { default: property['default'] }) }
  })

/** The path element of a list item, or `undefined` when it lacks its keys. */
export function itemElement(shape: Shape, item: unknown): string | undefined {
  if (shape.list === 'set') return `v:${JSON.stringify(item)}`
  if (shape.list === 'atomic' || !isObject(item)) return undefined
  const found: [string, unknown][] = shape.list.map((key) => [key.name, item[key.name] ?? key.default])
  const present = found.filter(([, value]) => value !== undefined).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return present.length === 0 ? undefined : `k:${JSON.stringify(Object.fromEntries(present))}`
}

/** Whether the value is owned and merged as one field. */
export const isLeaf = (shape: Shape, value: unknown): boolean =>
  Array.isArray(value) ? shape.list === 'atomic' : isObject(value) ? shape.atomicObject : true
