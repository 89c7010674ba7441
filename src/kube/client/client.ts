import type { At, Draft, KubeObject, Resource } from '../objects.ts'

export interface Where {
  readonly namespace?: string
  /** As kubectl takes them: `app=web,tier in (a,b)`. */
  readonly labels?: string
  readonly fields?: string
}

export interface WriteOptions {
  /** Who owns the fields of this write. @default the client's own manager */
  readonly fieldManager?: string
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
}

export interface ApplyOptions extends WriteOptions {
  /** Take fields over from other managers. Off by default: a conflict is information. */
  readonly force?: boolean
}

export interface DeleteOptions {
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan'
  readonly graceSeconds?: number
  /** Delete exactly this one, not a namesake that replaced it. */
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
  /** `undefined` is an answer: it does not exist. */
  get<T extends KubeObject>(resource: Resource<T>, at: At, signal?: AbortSignal): Promise<T | undefined>
  /** All of them, fetched in pages. */
  list<T extends KubeObject>(resource: Resource<T>, where?: Where, signal?: AbortSignal): Promise<T[]>
}

export interface Writer {
  create<T extends KubeObject>(resource: Resource<T>, object: Draft<T>, options?: WriteOptions): Promise<T>
  /** Server-side apply, without force unless asked. */
  apply<T extends KubeObject>(resource: Resource<T>, object: Draft<T>, options?: ApplyOptions): Promise<T>
  /** Needs `metadata.resourceVersion`: a blind overwrite is refused here, before it is sent. */
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

/** What hangs below an object: `scale`, `eviction`, and whatever an aggregated API offers. */
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
  /** Ask the server to begin with everything there is (WatchList), ended by an annotated bookmark. */
  readonly sendInitialEvents?: boolean
  /** PartialObjectMetadata instead of the whole objects. */
  readonly metadataOnly?: boolean
  readonly timeoutSeconds?: number
}

export interface Page<T extends KubeObject> {
  readonly items: readonly T[]
  readonly resourceVersion: string
  readonly continueToken: string | undefined
}

/** The raw verbs under a watch; `watch.ts` turns them into something that never goes silent. */
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
  /** Whom the question is about. Absent: ourselves. */
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
  /** The same server seen as somebody else, who must be allowed for what is then done. */
  as(identity: Identity): Client
}

export type Client = Reader &
  Writer &
  StatusWriter &
  Subresources &
  WatchSource &
  Authorizer &
  TokenIssuer &
  LogReader &
  Impersonator
