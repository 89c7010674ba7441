import type { Clock } from '../../kernel/index.ts'
import { gone, Refusal } from './failure.ts'
import { clone, type Json, objectAt } from './json.ts'
import { apiVersionOf, type KindInfo, typeKey } from './registry.ts'
import type { Selector } from './selector.ts'
import { type Change, placeOf, type Storage } from './storage.ts'

export interface WatchRequest {
  readonly kind: KindInfo
  readonly namespace: string | undefined
  readonly selects: Selector
  /** Empty: begin with the present objects. */
  readonly resourceVersion: string
  readonly bookmarks: boolean
  readonly initialEvents: boolean
  readonly timeoutSeconds: number
  readonly metadataOnly: boolean
  readonly signal: AbortSignal | undefined
}

interface OpenWatch {
  bookmark(): void
  /** Ends the stream as a reset connection does. */
  break(): void
}

/** The open watches. */
export class Watches {
  readonly #open = new Set<OpenWatch>()
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  get count(): number {
    return this.#open.size
  }

  bookmark(): void {
    for (const watch of this.#open) watch.bookmark()
  }

  break(): void {
    for (const watch of this.#open) watch.break()
  }

  /** The events as they are sent. Writes after the call are included. */
  open(request: WatchRequest): AsyncGenerator<Json> {
    const storage = this.#storage
    const { kind, selects, resourceVersion } = request
    const type = typeKey(kind)
    const lines = new Lines()
    const shown = (object: Json): Json => clone(request.metadataOnly ? partial(object) : object)
    const covers = (object: Json | undefined): object is Json =>
      object !== undefined &&
      (request.namespace === undefined || placeOf(object).namespace === request.namespace) &&
      selects(object)
    const push = (change: Change): void => {
      const event = change.type === type ? eventOf(change, covers) : undefined
      if (event !== undefined) lines.push({ type: event.type, object: shown(event.object) })
    }
    const pushBookmark = (annotations?: Json): void => {
      const metadata = { resourceVersion: String(storage.version), ...(annotations && { annotations }) }
      lines.push({ type: 'BOOKMARK', object: { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata } })
    }

    const startsNow = resourceVersion === '' || resourceVersion === '0' || request.initialEvents
    if (startsNow) {
      for (const object of storage.list(kind)) if (covers(object)) lines.push({ type: 'ADDED', object: shown(object) })
      if (request.initialEvents) pushBookmark({ 'k8s.io/initial-events-end': 'true' })
    } else {
      const missed = storage.since(type, Number(resourceVersion))
      if (missed === undefined) {
        const text = `too old resource version: ${resourceVersion} (${storage.oldest})`
        lines.push({ type: 'ERROR', object: gone(text).body() })
        lines.end()
      } else for (const change of missed) push(change)
    }

    const watch: OpenWatch = {
      bookmark: () => request.bookmarks && pushBookmark(),
      break: () => lines.end(new Error('the connection was reset')),
    }
    const onAbort = (): void => lines.end()
    const cancelTimeout = this.#clock.after(request.timeoutSeconds * 1000, () => lines.end())
    const stopListening = storage.onChange(push)
    this.#open.add(watch)
    lines.onEnd(() => {
      this.#open.delete(watch)
      cancelTimeout()
      stopListening()
      request.signal?.removeEventListener('abort', onAbort)
    })
    if (request.signal?.aborted) onAbort()
    else request.signal?.addEventListener('abort', onAbort, { once: true })
    return lines.read()
  }
}

/** An object that enters the selection is an addition, one that leaves it a deletion. */
function eventOf(
  { before, after, version }: Change,
  covers: (object: Json | undefined) => object is Json,
): { readonly type: string; readonly object: Json } | undefined {
  if (covers(after)) return { type: covers(before) ? 'MODIFIED' : 'ADDED', object: after }
  if (!covers(before)) return undefined
  const metadata = { ...objectAt(before, 'metadata'), resourceVersion: String(version) }
  return { type: 'DELETED', object: { ...before, metadata } }
}

export const partial = (object: Json): Json => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata: objectAt(object, 'metadata'),
})

/** Options that the real server refuses before the stream begins. */
export function checkWatch(initialEvents: boolean, match: string): void {
  if (!initialEvents || match === 'NotOlderThan') return
  const field = 'resourceVersionMatch'
  const message = 'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'
  throw new Refusal(422, 'Invalid', `ListOptions.meta.k8s.io "" is invalid: ${field}: ${message}`, {
    group: 'meta.k8s.io',
    kind: 'ListOptions',
    causes: [{ reason: 'FieldValueForbidden', message, field }],
  })
}

/** A queue with one reader. */
class Lines {
  readonly #waiting: Json[] = []
  readonly #enders: (() => void)[] = []
  #wake: () => void = () => {}
  #ended: { readonly error: unknown } | undefined

  push(line: Json): void {
    if (this.#ended !== undefined) return
    this.#waiting.push(line)
    this.#wake()
  }

  end(error?: unknown): void {
    if (this.#ended !== undefined) return
    this.#ended = { error }
    for (const ender of this.#enders) ender()
    this.#wake()
  }

  onEnd(ender: () => void): void {
    if (this.#ended === undefined) this.#enders.push(ender)
    else ender()
  }

  async *read(): AsyncGenerator<Json> {
    try {
      for (;;) {
        const line = this.#waiting.shift()
        if (line !== undefined) yield line
        else if (this.#ended === undefined) await new Promise<void>((resolve) => (this.#wake = resolve))
        else if (this.#ended.error === undefined) return
        else throw this.#ended.error
      }
    } finally {
      this.end()
    }
  }
}
