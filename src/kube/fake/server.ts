import type { Clock, Random } from '../../kernel/index.ts'
import { errorOf } from '../errors.ts'
import type { KubeRequest, KubeResponse, Transport } from '../transport/transport.ts'
import { Access } from './controllers/access.ts'
import { collectGarbage } from './controllers/garbage.ts'
import { type Deletion, deleteObject } from './deletes.ts'
import * as refuse from './failure.ts'
import { clone, isObject, type Json, listAt, objectAt, textAt } from './json.ts'
import { Lists } from './list.ts'
import { jsonPatch, mergePatch, strategicPatch } from './patch.ts'
import { Rbac, type User } from './rbac.ts'
import { type KindInfo, Registry, typeKey } from './registry.ts'
import { bodyOf, optionsOf, queryText, type Target, targetOf, userOf, verbOf } from './request.ts'
import { accessReview, tokenFor } from './reviews.ts'
import { scaleConfig, scaled, scaleOf } from './scale.ts'
import { everything, fieldSelector, labelSelector, type Selector } from './selector.ts'
import { shapeOf } from './shape.ts'
import { placeOf, Storage } from './storage.ts'
import { checkWatch, partial, Watches } from './watch.ts'
import type { AdmissionPlugin, World } from './world.ts'
import { Writes } from './writes.ts'

export interface FakeKubernetesOptions {
  readonly clock: Clock
  /** For uids and generated names. */
  readonly random: Random
  /** Initial custom resource definitions. */
  readonly definitions?: readonly object[]
  /** Initial namespaces, besides `default` and `kube-system`. */
  readonly namespaces?: readonly string[]
  /** Objects of an earlier server, with their uids, status and managed fields. */
  readonly objects?: readonly object[]
  /** Sees every object before it is stored, and may change or refuse it. @default stores all as they are */
  readonly plugin?: AdmissionPlugin
}

/** A write before it is stored. */
export interface Admitted {
  readonly user: User
  readonly kind: string
  /** Absent where the server is to make one up. */
  readonly name: string | undefined
  /** Absent for a cluster-scoped object. */
  readonly namespace: object | undefined
  readonly dryRun: boolean
}

/** Returns the reason to refuse the write, or `undefined`. */
export type Admission = (write: Admitted) => string | undefined

const ADMIN: User = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] }

const NO_OPTIONS = { fieldManager: 'fake', dryRun: false, force: false }

/**
 * A Kubernetes API server in memory, behind the same transport as the real one.
 *
 * Deterministic: clock and random numbers come from its options, and nothing happens between two requests.
 * `bookmark` sends bookmarks to watches, `compact` drops the history, and `collectGarbage` handles owner references and
 * terminating namespaces as the controllers of Kubernetes do. The other controllers take their turns with `access`.
 *
 * Not implemented: admission beyond namespaces (`admit` replaces policies, `plugin` plugins), CEL rules, conversion between versions, most
 * defaults of built-in kinds, `exec` and `portforward`.
 */
export class FakeKubernetes {
  readonly #world: World
  readonly #writes: Writes
  readonly #watches: Watches
  readonly #lists: Lists
  readonly #rbac: Rbac
  readonly #logs = new Map<string, string>()
  readonly #admissions: Admission[] = []

  constructor(options: FakeKubernetesOptions) {
    const { clock, random, definitions = [], namespaces = [], objects = [], plugin = ({ object }) => object } = options
    const storage = new Storage()
    const registry = new Registry()
    this.#world = { storage, registry, clock, random, plugin }
    this.#writes = new Writes(this.#world)
    this.#watches = new Watches(storage, clock)
    this.#lists = new Lists(storage)
    this.#rbac = new Rbac(storage, registry)
    storage.onChange(({ type, before, after }) => {
      if (type !== 'apiextensions.k8s.io/customresourcedefinitions') return
      if (after !== undefined) registry.define(after)
      else if (before !== undefined) registry.forget(before)
    })
    for (const name of ['default', 'kube-system', ...namespaces])
      this.#seed({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    for (const definition of definitions) this.#seed(definition as Json)
    for (const object of objects) storage.put(this.#kindOf(object as Json), object as Json)
  }

  #seed(object: Json): void {
    this.#writes.create(this.#kindOf(object), '', object, NO_OPTIONS)
  }

  #kindOf(object: Json): KindInfo {
    const kind = this.#world.registry.byKind(textAt(object, 'apiVersion'), textAt(object, 'kind'))
    if (kind === undefined) throw new Error(`failed to seed a ${textAt(object, 'kind')}: it is not a known kind`)
    return kind
  }

  /** A transport for one user. */
  transport(caller: User = ADMIN): Transport {
    return {
      send: async (request) => this.#answer(request, caller),
      stream: (request) => this.#stream(request, caller),
    }
  }

  /** The version of the latest write. */
  get version(): number {
    return this.#world.storage.version
  }

  /** The version of the latest write to anything but a Lease: those are renewed while nothing happens. */
  get versionOfWork(): number {
    return this.#world.storage.versionExcept('coordination.k8s.io/leases')
  }

  get openWatches(): number {
    return this.#watches.count
  }

  /** Sends a bookmark to every watch that allows them. */
  bookmark(): void {
    this.#watches.bookmark()
  }

  /** Resets the connection of every watch. */
  breakWatches(): void {
    this.#watches.break()
  }

  /** Watches and pages of earlier versions get 410. */
  compact(): void {
    this.#world.storage.compact()
  }

  /** Calls `admission` for every write from now on. Stored policies are not evaluated. */
  admit(admission: Admission): void {
    this.#admissions.push(admission)
  }

  collectGarbage(): void {
    collectGarbage(this.#world)
  }

  /** For `runDeployments`, `runJobs` and `runPods`, the other controllers of Kubernetes. */
  access(fieldManager = 'kube-controller-manager'): Access {
    return new Access(this.#world, this.#writes, fieldManager)
  }

  setPodLog(at: { readonly namespace: string; readonly name: string }, text: string): void {
    this.#logs.set(`${at.namespace}/${at.name}`, text)
  }

  /** All stored objects of a kind, without a request. Read-only: they are not copies. */
  peek(kind: { readonly group: string; readonly plural: string }): readonly object[] {
    return this.#world.storage.ofType(typeKey(kind))
  }

  #answer(request: KubeRequest, caller: User): KubeResponse {
    request.signal?.throwIfAborted()
    try {
      const { status = 200, body } = this.#route(request, userOf(request, caller))
      return { status, headers: {}, body: clone(body) }
    } catch (error) {
      if (error instanceof refuse.Refusal) return { status: error.status, headers: {}, body: error.body() }
      throw error
    }
  }

  #route(request: KubeRequest, user: User): { readonly status?: number; readonly body: unknown } {
    const { path } = request
    if (path === '/version') return { body: { major: '1', minor: '35', gitVersion: 'v1.35.0-fake' } }
    if (path === '/readyz' || path === '/livez' || path === '/healthz') return { body: 'ok' }
    const review = accessReview(path, bodyOf(request), this.#rbac, user)
    if (review !== undefined) return { status: 201, body: review }
    const discovery = request.method === 'GET' ? this.#world.registry.discovery(path, request.accept) : undefined
    if (discovery !== undefined) return { body: discovery }
    const target = targetOf(path, this.#world.registry)
    if (target === undefined) throw refuse.noSuchPath()
    this.#authorize(request, target, user)
    if (request.method !== 'GET') this.#askAdmissions(request, target, user)
    switch (request.method) {
      case 'GET':
        return { body: this.#read(request, target) }
      case 'POST':
        return { status: 201, body: this.#post(request, target) }
      case 'PUT':
        return { body: this.#put(request, target) }
      case 'PATCH':
        return this.#patch(request, target)
      case 'DELETE':
        return { body: this.#delete(request, target) }
      default:
        return request.method satisfies never
    }
  }

  #authorize(request: KubeRequest, { kind, namespace = '', name, subresource }: Target, user: User): void {
    const verb = verbOf(request, { kind, namespace, name, subresource })
    const resource = subresource === '' ? kind.plural : `${kind.plural}/${subresource}`
    if (this.#rbac.allows(user, { verb, group: kind.group, resource, namespace, name })) return
    const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`
    throw refuse.forbidden(
      kind,
      name,
      `User "${user.name}" cannot ${verb} resource "${resource}" in API group "${kind.group}" ${where}`,
    )
  }

  #askAdmissions(request: KubeRequest, { kind, namespace: name = '', name: object }: Target, user: User): void {
    const namespaces = this.#world.registry.find('', 'v1', 'namespaces')
    const namespace = namespaces && this.#world.storage.get(namespaces, { namespace: '', name })
    for (const admission of this.#admissions) {
      const why = admission({ user, kind: kind.kind, name: object, namespace, dryRun: optionsOf(request).dryRun })
      if (why !== undefined) throw refuse.forbidden(kind, object, why, [{ message: why }])
    }
  }

  #read(request: KubeRequest, target: Target): unknown {
    const { kind, namespace, name, subresource } = target
    const metadataOnly = (request.accept ?? '').includes('as=PartialObjectMetadata')
    if (name === '') {
      return this.#lists.list({
        kind,
        namespace,
        selects: selection(request, target),
        limit: Number(queryText(request, 'limit')),
        continueToken: queryText(request, 'continue'),
        resourceVersion: queryText(request, 'resourceVersion'),
        metadataOnly,
      })
    }
    const object = this.#world.storage.get(kind, { namespace: namespace ?? '', name })
    if (object === undefined) throw refuse.notFound(kind, name)
    if (subresource === 'log' && kind.kind === 'Pod') return this.#log(request, `${namespace}/${name}`)
    if (subresource === 'scale' && kind.scaleSubresource) return scaleOf(object)
    if (subresource !== '' && !(subresource === 'status' && kind.statusSubresource)) throw refuse.noSuchPath()
    return metadataOnly ? partial(object) : object
  }

  #log(request: KubeRequest, pod: string): string {
    const lines = (this.#logs.get(pod) ?? '').split('\n')
    const last = queryText(request, 'tailLines')
    const isTerminated = lines.at(-1) === ''
    return last === '' ? lines.join('\n') : lines.slice(-(Number(last) + (isTerminated ? 1 : 0))).join('\n')
  }

  #post(request: KubeRequest, { kind, namespace = '', name, subresource }: Target): Json {
    if (kind.kind === 'ServiceAccount' && subresource === 'token') {
      return tokenFor(this.#world, kind, { namespace, name }, bodyOf(request))
    }
    if (kind.kind === 'Pod' && subresource === 'binding') {
      const node = textAt(objectAt(bodyOf(request), 'target'), 'name')
      const bind = (pod: Json): Json => ({ ...pod, spec: { ...objectAt(pod, 'spec'), nodeName: node } })
      this.#writes.update(kind, { namespace, name }, '', optionsOf(request), bind)
      return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }
    }
    if (name !== '') throw refuse.noSuchPath()
    return this.#writes.create(kind, namespace, bodyOf(request), optionsOf(request))
  }

  #put(request: KubeRequest, { kind, namespace = '', name, subresource }: Target): Json {
    const body = bodyOf(request)
    const [place, options] = [{ namespace, name }, optionsOf(request)]
    if (subresource !== 'scale' || !kind.scaleSubresource) {
      return this.#writes.replace(kind, place, subresource, options, body)
    }
    return scaleOf(this.#writes.update(kind, place, subresource, options, (old) => scaled(old, body)))
  }

  #patch(request: KubeRequest, target: Target): { readonly status: number; readonly body: Json } {
    const { kind, namespace = '', name, subresource } = target
    const options = optionsOf(request)
    const isScale = subresource === 'scale' && kind.scaleSubresource
    const shown = (object: Json): Json => (isScale ? scaleOf(object) : object)
    if (request.contentType?.startsWith('application/apply-patch')) {
      const config = isScale ? scaleConfig(bodyOf(request), name) : bodyOf(request)
      const { object, created } = this.#writes.apply(kind, { namespace, name }, subresource, config, options)
      return { status: created ? 201 : 200, body: shown(object) }
    }
    const change = changeOf(request, target)
    const through = isScale ? (old: Json) => scaled(old, change(scaleOf(old))) : change
    return { status: 200, body: shown(this.#writes.update(kind, { namespace, name }, subresource, options, through)) }
  }

  #delete(request: KubeRequest, target: Target): Json {
    const { kind, namespace, name } = target
    const deletion = deletionOf(request)
    if (name !== '') return deleteObject(this.#world, kind, { namespace: namespace ?? '', name }, deletion)
    const chosen = this.#world.storage.list(kind, namespace).filter(selection(request, target))
    for (const object of chosen) deleteObject(this.#world, kind, placeOf(object), deletion)
    return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' }
  }

  async *#stream(request: KubeRequest, caller: User): AsyncGenerator {
    if (request.signal?.aborted) return
    const lines = this.#opened(request, caller)
    request.onOpen?.()
    yield* lines
  }

  #opened(request: KubeRequest, caller: User): AsyncGenerator {
    try {
      const target = targetOf(request.path, this.#world.registry)
      if (target === undefined) throw refuse.noSuchPath()
      this.#authorize(request, target, userOf(request, caller))
      const initialEvents = queryText(request, 'sendInitialEvents') === 'true'
      checkWatch(initialEvents, queryText(request, 'resourceVersionMatch'))
      return this.#watches.open({
        kind: target.kind,
        namespace: target.namespace,
        selects: selection(request, target),
        resourceVersion: queryText(request, 'resourceVersion'),
        bookmarks: queryText(request, 'allowWatchBookmarks') === 'true',
        initialEvents,
        timeoutSeconds: Number(queryText(request, 'timeoutSeconds') || 1800),
        metadataOnly: (request.accept ?? '').includes('as=PartialObjectMetadata'),
        signal: request.signal,
      })
    } catch (error) {
      if (!(error instanceof refuse.Refusal)) throw error
      throw errorOf(`watch ${request.path}`, { status: error.status, headers: {}, body: error.body() })
    }
  }
}

function selection(request: KubeRequest, { kind }: Target): Selector {
  const [labels, fields] = [queryText(request, 'labelSelector'), queryText(request, 'fieldSelector')]
  const byLabels = labels === '' ? everything : labelSelector(labels)
  const byFields = fields === '' ? everything : fieldSelector(fields, kind.kind)
  return (object) => byLabels(object) && byFields(object)
}

function changeOf({ contentType, body }: KubeRequest, { kind }: Target): (old: Json) => Json {
  const asObject = (value: unknown): Json => (isObject(value) ? value : {})
  if (contentType === 'application/json-patch+json') return (old) => jsonPatch(old, body)
  if (contentType === 'application/merge-patch+json') return (old) => asObject(mergePatch(old, body))
  if (contentType === 'application/strategic-merge-patch+json' && !kind.custom) {
    return (old) => asObject(strategicPatch(old, body, shapeOf(kind)))
  }
  throw new refuse.Refusal(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml`,
    {},
  )
}

/** Options in the body replace those in the query, as on the real server. */
function deletionOf(request: KubeRequest): Deletion {
  const body = isObject(request.body) ? request.body : { ...request.query, dryRun: [queryText(request, 'dryRun')] }
  const preconditions = objectAt(body, 'preconditions')
  const grace = body['gracePeriodSeconds']
  return {
    propagation: textAt(body, 'propagationPolicy'),
    graceSeconds: grace === undefined || grace === null ? undefined : Number(grace),
    uid: textAt(preconditions, 'uid'),
    resourceVersion: textAt(preconditions, 'resourceVersion'),
    dryRun: listAt(body, 'dryRun').includes('All'),
  }
}
