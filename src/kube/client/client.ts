import type { At, Draft, KubeObject, Resource } from '../objects.ts'

export interface Where {
  readonly namespace?: string
  /** As kubectl takes them: `app=web,tier in (a,b)`. */
  readonly labels?: string
  readonly fields?: string
}

export interface WriteOptions {
  /** The field manager of this write. @default the client's own */
  readonly fieldManager?: string
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
}

export interface ApplyOptions extends WriteOptions {
  /** Take over fields that other managers own, instead of failing with a conflict. @default false */
  readonly force?: boolean
}

export interface DeleteOptions {
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan'
  readonly graceSeconds?: number
  /** Delete only the object with this uid, not a successor with the same name. */
  readonly uid?: string
  readonly resourceVersion?: string
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
}

/** What the server answered to a deletion. */
export interface Deletion<T extends KubeObject = KubeObject> {
  /** False: the object did not exist. */
  readonly found: boolean
  /** The object, if it still exists because finalizers or a grace period hold it. */
  readonly remaining?: T
}

export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'test' | 'move' | 'copy'
  readonly path: string
  readonly from?: string
  readonly value?: unknown
}

export type Patch =
  | { readonly json: readonly JsonPatchOperation[] }
  | { readonly merge: object }
  | { readonly strategic: object }

export interface Reader {
  /** `undefined`: the object does not exist. */
  get<T extends KubeObject>(resource: Resource<T>, at: At, signal?: AbortSignal): Promise<T | undefined>
  /** All objects, fetched in pages. */
  list<T extends KubeObject>(resource: Resource<T>, where?: Where, signal?: AbortSignal): Promise<T[]>
}

export interface Writer {
  create<T extends KubeObject>(resource: Resource<T>, object: Draft<T>, options?: WriteOptions): Promise<T>
  /** Server-side apply, without force by default. */
  apply<T extends KubeObject>(resource: Resource<T>, object: Draft<T>, options?: ApplyOptions): Promise<T>
  /** Needs `metadata.resourceVersion`; without it the call is refused before it is sent. */
  replace<T extends KubeObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T>
  patch<T extends KubeObject>(
    resource: Resource<T>,
    at: At,
    patch: Patch,
    options?: WriteOptions & { readonly subresource?: string },
  ): Promise<T>
  delete<T extends KubeObject>(resource: Resource<T>, at: At, options?: DeleteOptions): Promise<Deletion<T>>
}

export interface StatusWriter {
  applyStatus<T extends KubeObject>(
    resource: Resource<T>,
    object: { readonly metadata: { readonly name: string; readonly namespace?: string }; readonly status: unknown },
    options?: ApplyOptions,
  ): Promise<T>
  patchStatus<T extends KubeObject>(resource: Resource<T>, at: At, patch: Patch, options?: WriteOptions): Promise<T>
  replaceStatus<T extends KubeObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T>
}

/** Subresources such as `scale` and `eviction`, and those of aggregated APIs. */
export interface Subresources {
  getSubresource<T>(resource: Resource, at: At, subresource: string): Promise<T>
  createSubresource<T>(
    resource: Resource,
    at: At,
    subresource: string,
    body: object,
    options?: WriteOptions,
  ): Promise<T>
}

/** One line of a watch. A bookmark carries only metadata.resourceVersion; an error carries a Status object. */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject }
  | {
      readonly type: 'ERROR'
      readonly object: { readonly code?: number; readonly reason?: string; readonly message?: string }
    }

export interface WatchOptions extends Where {
  readonly resourceVersion?: string
  /** Begin with all objects (WatchList), ended by an annotated bookmark. */
  readonly sendInitialEvents?: boolean
  /** PartialObjectMetadata instead of complete objects. */
  readonly metadataOnly?: boolean
  readonly timeoutSeconds?: number
  /** Called when the server has accepted the watch. */
  readonly onOpen?: () => void
}

export interface Page<T extends KubeObject> {
  readonly items: readonly T[]
  readonly resourceVersion: string
  readonly continueToken: string | undefined
}

/** The plain list and watch verbs. `watch.ts` adds reconnects and idle timeouts. */
export interface WatchSource {
  listPage<T extends KubeObject>(
    resource: Resource<T>,
    options: Where & {
      readonly limit: number
      readonly continueToken?: string
      readonly resourceVersion?: string
      readonly metadataOnly?: boolean
    },
    signal?: AbortSignal,
  ): Promise<Page<T>>
  watchEvents<T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent<T>>
}

export interface AccessQuestion {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  /** The user in question. @default the client's own user */
  readonly user?: string
  readonly groups?: readonly string[]
}

export interface Authorizer {
  mayI(question: AccessQuestion): Promise<{ readonly allowed: boolean; readonly reason: string }>
}

export interface TokenIssuer {
  serviceAccountToken(
    at: Required<At>,
    options: { readonly audiences?: readonly string[]; readonly expirationSeconds?: number },
  ): Promise<{ readonly token: string; readonly expiresAt: string }>
}

export interface LogReader {
  podLog(
    at: Required<At>,
    options?: {
      readonly container?: string
      readonly tailLines?: number
      readonly previous?: boolean
      readonly sinceSeconds?: number
    },
  ): Promise<string>
}

export interface Identity {
  readonly user: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

export interface Impersonator {
  /** A client that impersonates another user and has that user's rights. */
  as(identity: Identity): Client
}

export interface Guarded {
  /** A client that calls `check` before each write is sent. A check that throws keeps the write from being sent. */
  guardedBy(check: () => void): Client
}

export type Client = Reader &
  Writer &
  StatusWriter &
  Subresources &
  WatchSource &
  Authorizer &
  TokenIssuer &
  LogReader &
  Impersonator &
  Guarded
