import type { AccessQuestion, Client, DeleteOptions, Page, Patch, WatchEvent, Where, WriteOptions } from './client.ts'
import { errorOf, isGone, raise } from '../errors.ts'
import { apiVersionOf, at as atOf, type At, type KubeObject, type Resource } from '../objects.ts'
import { collectionPath, objectPath } from './paths.ts'
import type { KubeRequest, KubeResponse, ListLimits, Transport } from '../transport/transport.ts'
import { guardedWrites, impersonate } from '../transport/wrap.ts'

export interface ClientOptions {
  /** The field manager of writes that do not name one. */
  readonly fieldManager: string
  /** Objects per page of a list. @default 500 */
  readonly pageSize?: number
}

/** How long the server keeps a watch open by default. */
const WATCH_SECONDS = 600

/** The verbs of the Kubernetes API over any transport. */
export function makeClient(transport: Transport, settings: ClientOptions): Client {
  const { fieldManager, pageSize = 500 } = settings

  const answer = async (doing: string, request: KubeRequest): Promise<KubeResponse> => {
    const response = await transport.send(request)
    if (response.status >= 300) throw errorOf(doing, response)
    return response
  }

  const call = async <T>(doing: string, request: KubeRequest): Promise<T> => (await answer(doing, request)).body as T

  const sizedPage = async <T extends KubeObject>(
    resource: Resource<T>,
    options: Parameters<Client['listPage']>[1],
    signal?: AbortSignal,
  ): Promise<SizedPage<T>> => {
    const { body, bytes = 0 } = await answer(`list ${resource.plural}`, {
      method: 'GET',
      path: collectionPath(resource, options.namespace),
      query: {
        ...selectors(options),
        limit: options.limit > 0 ? options.limit : undefined,
        continue: options.continueToken,
        resourceVersion: options.resourceVersion,
      },
      ...(options.metadataOnly && { accept: `application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1` }),
      ...(signal && { signal }),
    })
    const list = body as ListBody<T>
    // An empty list of metadata has null items.
    const items = list.items ?? []
    for (const item of items) named(resource, item)
    const { resourceVersion, continue: next } = list.metadata
    return { items, resourceVersion, continueToken: next || undefined, bytes }
  }

  const write = <T extends KubeObject>(
    doing: string,
    request: KubeRequest,
    { dryRun, signal, ...rest }: WriteOptions = {},
  ): Promise<T> =>
    call<T>(doing, {
      ...request,
      query: { fieldManager: rest.fieldManager ?? fieldManager, dryRun: dryRun ? 'All' : undefined, ...request.query },
      ...(signal && { signal }),
    })

  const patchAt = <T extends KubeObject>(
    resource: Resource<T>,
    where: At,
    patch: Patch,
    options?: WriteOptions,
    subresource?: string,
  ): Promise<T> =>
    write<T>(
      `patch ${nameOf(resource, where, subresource)}`,
      { method: 'PATCH', path: objectPath(resource, where, subresource), ...bodyOf(patch) },
      options,
    )

  const applyAt = <T extends KubeObject>(
    resource: Resource<T>,
    where: At,
    body: object,
    options: WriteOptions & { readonly force?: boolean } = {},
    subresource?: string,
  ): Promise<T> => {
    const request = {
      method: 'PATCH',
      path: objectPath(resource, where, subresource),
      body,
      contentType: 'application/apply-patch+yaml',
    } as const
    return write<T>(
      `apply ${nameOf(resource, where, subresource)}`,
      { ...request, query: { force: options.force ? true : undefined } },
      options,
    )
  }

  const replaceAt = <T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options?: WriteOptions,
    subresource?: string,
  ): Promise<T> => {
    const what = nameOf(resource, atOf(object), subresource)
    if (!object.metadata.resourceVersion)
      throw new Error(`failed to replace ${what}: metadata.resourceVersion is missing; read it first, or apply it`)
    return write<T>(
      `replace ${what}`,
      { method: 'PUT', path: objectPath(resource, atOf(object), subresource), body: object },
      options,
    )
  }

  const client: Client = {
    async get(resource, where, signal) {
      const response = await transport.send({
        method: 'GET',
        path: objectPath(resource, where),
        ...(signal && { signal }),
      })
      if (response.status === 404 && isMissingObject(response.body)) return undefined
      if (response.status >= 300) throw errorOf(`get ${nameOf(resource, where)}`, response)
      return response.body as never
    },

    async list(resource, where = {}, signal) {
      try {
        return await allPages(resource, transport.listLimits, (continueToken) =>
          sizedPage(resource, { ...where, limit: pageSize, ...(continueToken && { continueToken }) }, signal),
        )
      } catch (error) {
        // The continue token expired because of a compaction. Without a limit the list is one page.
        if (!isGone(error)) throw error
        return [...(await client.listPage(resource, { ...where, limit: 0 }, signal)).items]
      }
    },

    create: (resource, object, options) =>
      write(
        `create ${nameOf(resource, object.metadata)}`,
        { method: 'POST', path: creationPath(resource, object.metadata), body: object },
        options,
      ),
    apply: (resource, object, options) => applyAt(resource, object.metadata, object, options),
    replace: async (resource, object, options) => replaceAt(resource, object, options),
    patch: (resource, where, patch, options) => patchAt(resource, where, patch, options, options?.subresource),

    async delete(resource, where, options = {}) {
      const response = await transport.send({
        method: 'DELETE',
        path: objectPath(resource, where),
        body: deleteBody(options),
        ...(options.signal && { signal: options.signal }),
      })
      if (response.status === 404 && isMissingObject(response.body)) return { found: false }
      if (response.status >= 300) throw errorOf(`delete ${nameOf(resource, where)}`, response)
      return { found: true, ...(isHeld(response.body) && { remaining: response.body as never }) }
    },

    applyStatus: (resource, object, options) =>
      applyAt(
        resource,
        object.metadata,
        { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object },
        options,
        'status',
      ),
    patchStatus: (resource, where, patch, options) => patchAt(resource, where, patch, options, 'status'),
    replaceStatus: async (resource, object, options) => replaceAt(resource, object, options, 'status'),

    getSubresource: (resource, where, subresource) =>
      call(`get ${nameOf(resource, where, subresource)}`, {
        method: 'GET',
        path: objectPath(resource, where, subresource),
      }),
    createSubresource: (resource, where, subresource, body, options) =>
      write(
        `create ${nameOf(resource, where, subresource)}`,
        { method: 'POST', path: objectPath(resource, where, subresource), body },
        options,
      ) as never,

    async listPage(resource, options, signal) {
      const { bytes: _, ...page } = await sizedPage(resource, options, signal)
      return page
    },

    async *watchEvents<T extends KubeObject>(
      resource: Resource<T>,
      options: Parameters<Client['watchEvents']>[1],
      signal: AbortSignal,
    ): AsyncGenerator<WatchEvent<T>> {
      const lines = transport.stream({
        method: 'GET',
        path: collectionPath(resource, options.namespace),
        query: {
          ...selectors(options),
          watch: true,
          allowWatchBookmarks: true,
          timeoutSeconds: options.timeoutSeconds ?? WATCH_SECONDS,
          resourceVersion: options.resourceVersion,
          ...(options.sendInitialEvents && { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }),
        },
        ...(options.metadataOnly && { accept: `application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1` }),
        ...(options.onOpen && { onOpen: options.onOpen }),
        signal,
      })
      for await (const line of lines) {
        const event = line as WatchEvent<T>
        if (options.metadataOnly && event.type !== 'ERROR' && event.type !== 'BOOKMARK') named(resource, event.object)
        yield event
      }
    },

    async mayI(question) {
      const { kind, spec } = accessReview(question)
      const body = { apiVersion: 'authorization.k8s.io/v1', kind, metadata: {}, spec }
      const path = `/apis/authorization.k8s.io/v1/${kind.toLowerCase()}s`
      const { status } = await call<{ status: { allowed: boolean; reason?: string; evaluationError?: string } }>(
        `ask for access to ${question.resource}`,
        { method: 'POST', path, body },
      )
      return { allowed: status.allowed, reason: status.reason ?? status.evaluationError ?? '' }
    },

    async serviceAccountToken({ namespace, name }, { audiences, expirationSeconds }) {
      const { status } = await call<{ status: { token: string; expirationTimestamp: string } }>(
        `request a token for service account ${namespace}/${name}`,
        {
          method: 'POST',
          path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/serviceaccounts/${encodeURIComponent(name)}/token`,
          body: {
            apiVersion: 'authentication.k8s.io/v1',
            kind: 'TokenRequest',
            metadata: {},
            spec: { audiences: audiences ?? [], expirationSeconds },
          },
        },
      )
      return { token: status.token, expiresAt: status.expirationTimestamp }
    },

    podLog: ({ namespace, name }, { container, tailLines, previous, sinceSeconds } = {}) =>
      call<string>(`read the log of pod ${namespace}/${name}`, {
        method: 'GET',
        path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/log`,
        query: { container, tailLines, previous, sinceSeconds },
        accept: 'text/plain, */*',
      }),

    as: (identity) => makeClient(impersonate(transport, identity), settings),
    guardedBy: (check) => makeClient(guardedWrites(transport, check), settings),
  }
  return client
}

interface ListBody<T> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string }
  readonly items: T[] | null
}

interface SizedPage<T extends KubeObject> extends Page<T> {
  readonly bytes: number
}

async function allPages<T extends KubeObject>(
  { plural }: Resource<T>,
  { pages: mostPages, bytes: mostBytes }: ListLimits = { pages: Infinity, bytes: Infinity },
  page: (continueToken: string | undefined) => Promise<SizedPage<T>>,
): Promise<T[]> {
  const items: T[] = []
  let token: string | undefined
  let pages = 0
  let bytes = 0
  do {
    if (pages >= mostPages) throw tooMuch(plural, `more than ${mostPages} pages`)
    const next = await page(token)
    pages++
    bytes += next.bytes
    if (bytes > mostBytes) throw tooMuch(plural, `more than ${mostBytes} bytes`)
    items.push(...next.items)
    token = next.continueToken
  } while (token !== undefined)
  return items
}

const tooMuch = (plural: string, what: string): Error =>
  raise.KubeAnswerTooLarge(`failed to list ${plural}: the list has ${what}`)

/** List items have no kind, and items of a metadata list have the kind PartialObjectMetadata. */
function named(resource: Resource, item: KubeObject): void {
  Object.assign(item, { apiVersion: apiVersionOf(resource), kind: resource.kind })
}

/** A 404 for a missing object names its kind. A 404 for a resource that is not served does not. */
const isMissingObject = (body: unknown): boolean =>
  (body as { details?: { name?: string } } | undefined)?.details?.name !== undefined

const selectors = ({ labels, fields }: Where): KubeRequest['query'] => ({
  labelSelector: labels,
  fieldSelector: fields,
})

const nameOf = (
  resource: Resource,
  where: { readonly namespace?: string; readonly name: string },
  subresource?: string,
): string =>
  `${resource.kind} ${where.namespace === undefined ? '' : `${where.namespace}/`}${where.name}${subresource === undefined ? '' : `/${subresource}`}`

function creationPath(resource: Resource, metadata: { readonly namespace?: string; readonly name: string }): string {
  return objectPath(resource, metadata).slice(0, -encodeURIComponent(metadata.name).length - 1)
}

function bodyOf(patch: Patch): { readonly body: unknown; readonly contentType: string } {
  if ('json' in patch) return { body: patch.json, contentType: 'application/json-patch+json' }
  if ('merge' in patch) return { body: patch.merge, contentType: 'application/merge-patch+json' }
  return { body: patch.strategic, contentType: 'application/strategic-merge-patch+json' }
}

/**
 * Whether a deleted object still exists. The server answers with a Status when the object is gone, for some kinds with
 * the object as it last was.
 */
function isHeld(body: unknown): body is KubeObject {
  const { metadata, spec } = body as Partial<KubeObject> & { readonly spec?: { readonly finalizers?: unknown } }
  if (metadata?.deletionTimestamp === undefined) return false
  const finalizers = [metadata.finalizers, spec?.finalizers].flatMap((list) => (Array.isArray(list) ? list : []))
  return finalizers.length > 0 || (metadata.deletionGracePeriodSeconds ?? 0) > 0
}

/** The server ignores the query of a delete that has a body, `dryRun` included. */
function deleteBody({ propagation, graceSeconds, uid, resourceVersion, dryRun }: DeleteOptions): object {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy: propagation ?? 'Background',
    gracePeriodSeconds: graceSeconds,
    preconditions: uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion },
    dryRun: dryRun ? ['All'] : undefined,
  }
}

function accessReview({ user, groups, ...attributes }: AccessQuestion): {
  readonly kind: string
  readonly spec: object
} {
  const spec = { resourceAttributes: attributes }
  return user === undefined
    ? { kind: 'SelfSubjectAccessReview', spec }
    : { kind: 'SubjectAccessReview', spec: { ...spec, user, groups } }
}
