import { checkFinalizers, checkIdentity, checkNamespace, checkUid, checkVersion } from './checks.ts'
import { firstStatus, withDefaults } from './defaults.ts'
import * as refuse from './failure.ts'
import { equal, isObject, type Json, listAt, objectAt, textAt, without } from './json.ts'
import { applied, type Ownership, updated, type Writer } from './ownership.ts'
import { apiVersionOf, type KindInfo } from './registry.ts'
import type { Options } from './request.ts'
import { conform, problemsOf } from './schema.ts'
import { shapeOf } from './shape.ts'
import { type Place, placeOf } from './storage.ts'
import { timeText, type World } from './world.ts'

export interface Written {
  readonly object: Json
  readonly created: boolean
}

const HEX = '0123456789abcdef'
const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/

/** Fields of metadata that no client sets. */
const SERVER_FIELDS = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'generation',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const

/** Creates and changes objects. Each write is atomic. */
export class Writes {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  create(kind: KindInfo, namespace: string, body: Json, options: Options): Json {
    const metadata = objectAt(body, 'metadata')
    const name = textAt(metadata, 'name') || this.#generated(textAt(metadata, 'generateName'))
    checkIdentity(kind, { namespace, name }, body)
    checkNamespace(this.#world, kind, namespace, name)
    if (textAt(metadata, 'resourceVersion') !== '') {
      throw new refuse.Refusal(500, undefined, 'resourceVersion should not be set on objects to be created')
    }
    if (this.#world.storage.get(kind, { namespace, name }) !== undefined) throw refuse.alreadyExists(kind, name)
    const wanted = { ...body, metadata: { ...metadata, name } }
    return this.#bear(
      kind,
      namespace,
      wanted,
      (object) => updated(blank(kind), object, writer(kind, options, 'Update', ''), this.#rules(kind, '')),
      options,
    )
  }

  /** Replaces an object if it still has the version that `next` was made from. */
  replace(kind: KindInfo, place: Place, subresource: string, options: Options, next: Json): Json {
    return this.update(kind, place, subresource, options, (old) => {
      checkUid(kind, objectAt(old, 'metadata'), objectAt(next, 'metadata'), true)
      return next
    })
  }

  /** Changes an object. `change` gets the stored object and returns a new one; it changes nothing in place. */
  update(kind: KindInfo, place: Place, subresource: string, options: Options, change: (old: Json) => Json): Json {
    const old = this.#world.storage.get(kind, place)
    if (old === undefined) throw refuse.notFound(kind, place.name)
    const wanted = change(old)
    checkIdentity(kind, place, wanted)
    const admitted = this.#admit(kind, old, wanted, subresource)
    const owned = updated(old, admitted, writer(kind, options, 'Update', subresource), this.#rules(kind, subresource))
    return this.#keep(kind, old, owned, options)
  }

  apply(kind: KindInfo, place: Place, subresource: string, config: Json, options: Options): Written {
    if (options.fieldManager === '') throw managerMissing()
    checkIdentity(kind, place, config)
    const metadata = { ...objectAt(config, 'metadata'), name: place.name }
    const stated = withoutNulls({ ...without(config, 'apiVersion', 'kind'), metadata }) as Json
    const who = writer(kind, options, 'Apply', subresource)
    const rules = this.#rules(kind, subresource)
    const old = this.#world.storage.get(kind, place)
    if (old !== undefined) {
      const merged = applied(old, stated, who, options.force, rules)
      const admitted = this.#admit(kind, old, merged, subresource)
      return { object: this.#keep(kind, old, admitted, options), created: false }
    }
    if (subresource !== '') throw refuse.notFound(kind, place.name)
    checkNamespace(this.#world, kind, place.namespace, place.name)
    const uid = textAt(objectAt(config, 'metadata'), 'uid')
    if (uid !== '') {
      const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
      throw refuse.conflict(kind, place.name, why)
    }
    const owners = objectAt(applied(blank(kind), stated, who, true, rules), 'metadata')['managedFields']
    const own = (object: Json): Json => ({
      ...object,
      metadata: { ...objectAt(object, 'metadata'), managedFields: owners },
    })
    return { object: this.#bear(kind, place.namespace, stated, own, options), created: true }
  }

  #bear(kind: KindInfo, namespace: string, wanted: Json, own: (object: Json) => Json, options: Options): Json {
    const { storage, clock } = this.#world
    const metadata = without(objectAt(wanted, 'metadata'), 'resourceVersion', 'deletionTimestamp', 'managedFields')
    const filled = withDefaults(kind, {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      ...without(wanted, 'apiVersion', 'kind', ...(kind.statusSubresource ? ['status'] : [])),
      metadata: {
        ...metadata,
        ...(kind.namespaced && { namespace }),
        uid: this.#uid(),
        ...(kind.generation && { generation: 1 }),
        creationTimestamp: timeText(clock),
      },
    })
    const asked = this.#valid(kind, filled)
    const valid = this.#world.plugin({ operation: 'create', kind, subresource: '', object: asked, old: undefined })
    const status = kind.statusSubresource ? firstStatus(kind, valid) : undefined
    const object = own(valid)
    const born = status === undefined ? object : { ...object, status }
    return options.dryRun ? born : storage.put(kind, born)
  }

  #keep(kind: KindInfo, old: Json, next: Json, options: Options): Json {
    if (equal(old, next)) return old
    if (options.dryRun) return next
    const metadata = objectAt(next, 'metadata')
    const isOver =
      'deletionTimestamp' in metadata &&
      listAt(metadata, 'finalizers').length === 0 &&
      metadata['deletionGracePeriodSeconds'] === 0 &&
      kind.kind !== 'Namespace'
    if (!isOver) return this.#world.storage.put(kind, next)
    this.#world.storage.remove(kind, next)
    return next
  }

  /** The object to store: the requested one, limited to the fields that this endpoint may change. */
  #admit(kind: KindInfo, old: Json, wanted: Json, subresource: string): Json {
    const before = objectAt(old, 'metadata')
    const asked = objectAt(wanted, 'metadata')
    const { name } = placeOf(old)
    checkVersion(kind, before, asked, name)
    const scoped = within(kind, old, wanted, subresource)
    checkUid(kind, before, objectAt(scoped, 'metadata'), false)
    const valid = this.#valid(kind, withDefaults(kind, scoped))
    const metadata = clean({
      ...objectAt(valid, 'metadata'),
      ...pick(before, SERVER_FIELDS),
    })
    checkFinalizers(kind, before, metadata, name)
    const object = { ...valid, metadata }
    const admitted = this.#world.plugin({ operation: 'update', kind, subresource, object, old })
    return kind.generation && !equal(input(kind, old), input(kind, admitted))
      ? {
          ...admitted,
          metadata: { ...objectAt(admitted, 'metadata'), generation: Number(before['generation'] ?? 0) + 1 },
        }
      : admitted
  }

  #valid(kind: KindInfo, object: Json): Json {
    const { name } = placeOf(object)
    if (!NAME.test(name)) {
      const message =
        name === ''
          ? 'Required value: name or generateName is required'
          : `Invalid value: "${name}": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character`
      throw refuse.invalid(kind, name, [
        { reason: name === '' ? 'FieldValueRequired' : 'FieldValueInvalid', field: 'metadata.name', message },
      ])
    }
    if (kind.schema === undefined) return object
    const { apiVersion, kind: kindName, metadata, ...rest } = object
    const conformed = conform(rest, kind.schema) as Json
    const problems = problemsOf({ ...conformed, apiVersion, kind: kindName, metadata }, kind.schema, '')
    if (problems.length > 0) throw refuse.invalid(kind, name, problems)
    return { apiVersion, kind: kindName, metadata, ...conformed }
  }

  #rules(kind: KindInfo, subresource: string): Ownership {
    const isStatus = (path: string): boolean => path === 'f:status' || path.startsWith('f:status\u0000')
    return {
      shape: shapeOf(kind),
      now: timeText(this.#world.clock),
      ignores: (path) => (subresource === 'status' ? !isStatus(path) : kind.statusSubresource && isStatus(path)),
    }
  }

  #uid(): string {
    let hex = ''
    for (let digit = 0; digit < 32; digit++) hex += HEX[Math.floor(this.#world.random() * 16)]
    return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join(
      '-',
    )
  }

  #generated(prefix: string): string {
    const letters = 'bcdfghjklmnpqrstvwxz2456789'
    const letter = (): string => letters[Math.floor(this.#world.random() * letters.length)] ?? 'x'
    return prefix === '' ? '' : `${prefix}${Array.from({ length: 5 }, letter).join('')}`
  }
}

/** The fields that an update through this endpoint may change. */
function within(kind: KindInfo, old: Json, wanted: Json, subresource: string): Json {
  const asked = objectAt(wanted, 'metadata')
  if (subresource === 'status') {
    const before = objectAt(old, 'metadata')
    const owners = asked['managedFields']
    const metadata = kind.custom ? before : { ...asked, ...pick(before, ['labels', 'ownerReferences']) }
    return clean({ ...old, metadata: clean({ ...metadata, managedFields: owners }), status: wanted['status'] })
  }
  return kind.statusSubresource ? clean({ ...wanted, status: old['status'] }) : wanted
}

/** The part of an object whose changes are counted in its generation. */
const input = (kind: KindInfo, object: Json): Json =>
  kind.custom ? without(object, 'metadata', ...(kind.statusSubresource ? ['status'] : [])) : { spec: object['spec'] }

/** A built-in object has its empty parts; a custom one has only what was written. */
const blank = (kind: KindInfo): Json => (kind.custom ? { metadata: {} } : { metadata: {}, spec: {} })

const writer = (kind: KindInfo, options: Options, operation: Writer['operation'], subresource: string): Writer => ({
  manager: options.fieldManager === '' ? 'unknown' : options.fieldManager,
  operation,
  apiVersion: apiVersionOf(kind),
  subresource,
})

const managerMissing = (): refuse.Refusal => {
  const cause = {
    reason: 'FieldValueRequired',
    message: 'Required value: is required for apply patch',
    field: 'fieldManager',
  }
  const text = 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch'
  return new refuse.Refusal(422, 'Invalid', text, { group: 'meta.k8s.io', kind: 'PatchOptions', causes: [cause] })
}

function pick(value: Json, fields: readonly string[]): Json {
  const picked: Json = {}
  for (const field of fields) picked[field] = value[field]
  return picked
}

function clean(value: Json): Json {
  const kept: Json = {}
  for (const field in value) if (value[field] !== undefined) kept[field] = value[field]
  return kept
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
  const kept: Json = {}
  for (const field in value) {
    const below = value[field]
    if (below !== null && below !== undefined) kept[field] = withoutNulls(below)
  }
  return kept
}
