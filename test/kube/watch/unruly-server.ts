import { KubeError } from '../../../src/kube/errors.ts'
import type { Page, WatchEvent, WatchOptions, WatchSource } from '../../../src/kube/client/client.ts'
import type { KubeObject, Resource } from '../../../src/kube/objects.ts'

export interface Thing extends KubeObject {
  readonly spec: { readonly text: string }
}

export const things: Resource<Thing> = {
  group: 'test.caelus.dev',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  namespaced: true,
}

type Past = { readonly version: number; readonly event: WatchEvent<Thing> }

/** What an open stream waits for: an event, its end, an error, or nothing ever again. */
type Sent = { readonly event: WatchEvent<Thing> } | { readonly end: true } | { readonly error: Error }

interface Stream {
  /** What is not newer is not sent, as if it had been before. */
  readonly since: number
  readonly waiting: Sent[]
  wakeUp: () => void
  swallowed: boolean
}

/**
 * A server in memory that keeps the promises of the watch protocol and none besides: connections break, end or swallow
 * everything, history is lost, calls fail, events are repeated. Only what it holds in `things` is true.
 */
export class UnrulyServer implements WatchSource {
  readonly things = new Map<string, Thing>()
  /** False: refuses lists by stream. */
  streamsLists = true
  /** How many of the events before the asked version a new stream sends once more. */
  repeats = 0
  pageSize = 2
  readonly calls = { list: 0, watch: 0 }
  #version = 10
  #uids = 0
  #past: Past[] = []
  #compacted = 0
  #streams = new Set<Stream>()
  #failures: number[] = []
  /** What the later pages of a list still have to show: all pages are of the same moment. */
  readonly #snapshots = new Map<string, { readonly at: number; readonly left: readonly Thing[] }>()

  get version(): string {
    return String(this.#version)
  }

  get openStreams(): number {
    return [...this.#streams].filter((stream) => !stream.swallowed).length
  }

  put(name: string, text: string): Thing {
    const old = this.things.get(name)
    this.#version++
    const metadata = {
      name,
      namespace: 'test',
      uid: old?.metadata.uid ?? `uid-${++this.#uids}`,
      resourceVersion: this.version,
    }
    const thing: Thing = { apiVersion: 'test.caelus.dev/v1', kind: 'Thing', metadata, spec: { text } }
    this.things.set(name, thing)
    this.#send({ type: old === undefined ? 'ADDED' : 'MODIFIED', object: thing })
    return thing
  }

  remove(name: string): Thing | undefined {
    const old = this.things.get(name)
    if (old === undefined) return undefined
    this.#version++
    this.things.delete(name)
    this.#send({ type: 'DELETED', object: { ...old, metadata: { ...old.metadata, resourceVersion: this.version } } })
    return old
  }

  bookmark(): void {
    for (const stream of this.#reached()) deliver(stream, { event: this.#bookmark() })
  }

  /** A backup of now; what it answers restarts the server with it, versions included. */
  backUp(): () => void {
    const [version, kept] = [this.#version, [...this.things]]
    return () => {
      this.end()
      this.#version = version
      this.#past = []
      this.things.clear()
      for (const [name, thing] of kept) this.things.set(name, thing)
    }
  }

  /** Forgets the history: every version before now is too old. */
  compact(): void {
    this.#compacted = this.#version
    this.#past = []
  }

  end(): void {
    for (const stream of this.#streams) deliver(stream, { end: true })
  }

  reset(): void {
    for (const stream of this.#streams) deliver(stream, { error: new Error('connection reset') })
  }

  /** The open connections stay open and say nothing more. */
  swallow(): void {
    for (const stream of this.#streams) stream.swallowed = true
  }

  /** The next calls are answered with these codes; 0 lets one pass. */
  fail(...codes: readonly number[]): void {
    this.#failures.push(...codes)
  }

  calmDown(): void {
    this.#failures = []
    this.repeats = 0
  }

  async listPage<T extends KubeObject>(
    _resource: Resource<T>,
    options: { readonly continueToken?: string; readonly fields?: string },
  ): Promise<Page<T>> {
    this.calls.list++
    this.#maybeFail()
    const wanted = options.fields?.replace('metadata.name=', '')
    const { at, left } = this.#snapshots.get(options.continueToken ?? '') ?? {
      at: this.#version,
      left: [...this.things.values()].filter(({ metadata }) => wanted === undefined || metadata.name === wanted),
    }
    if (at < this.#compacted) throw new KubeError('list things', { code: 410, reason: 'Expired' })
    const items = left.slice(0, this.pageSize)
    const rest = left.slice(this.pageSize)
    const continueToken = rest.length === 0 ? undefined : `${at}:${rest.length}`
    if (continueToken !== undefined) this.#snapshots.set(continueToken, { at, left: rest })
    return { items: items as KubeObject[] as T[], resourceVersion: String(at), continueToken }
  }

  async *watchEvents<T extends KubeObject>(
    _resource: Resource<T>,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent<T>> {
    this.calls.watch++
    this.#maybeFail()
    if (options.sendInitialEvents && !this.streamsLists)
      throw new KubeError('watch things', { code: 422, reason: 'Invalid', message: 'sendInitialEvents is forbidden' })
    const since = options.sendInitialEvents ? this.#version : Number(options.resourceVersion)
    if (since < this.#compacted) {
      yield { type: 'ERROR', object: { code: 410, reason: 'Expired', message: 'too old resource version' } }
      return
    }
    const stream: Stream = { since, waiting: [], wakeUp: () => {}, swallowed: false }
    if (options.sendInitialEvents) {
      for (const object of this.things.values()) stream.waiting.push({ event: { type: 'ADDED', object } })
      stream.waiting.push({ event: this.#bookmark('k8s.io/initial-events-end') })
    } else {
      const older = this.#past.filter(({ version }) => version <= since)
      const newer = this.#past.filter(({ version }) => version > since)
      for (const { event } of [...older.slice(older.length - Math.min(this.repeats, older.length)), ...newer])
        stream.waiting.push({ event })
    }
    this.#streams.add(stream)
    options.onOpen?.()
    signal.addEventListener('abort', () => deliver(stream, { end: true }))
    try {
      for (;;) {
        const next = stream.swallowed ? undefined : stream.waiting.shift()
        if (signal.aborted) return
        if (next === undefined) await new Promise<void>((resolve) => (stream.wakeUp = resolve))
        else if ('event' in next) yield next.event as WatchEvent as WatchEvent<T>
        else if ('error' in next) throw next.error
        else return
      }
    } finally {
      this.#streams.delete(stream)
    }
  }

  #bookmark(annotation?: string): WatchEvent<Thing> {
    const annotations = annotation === undefined ? {} : { annotations: { [annotation]: 'true' } }
    return {
      type: 'BOOKMARK',
      object: {
        apiVersion: 'test.caelus.dev/v1',
        kind: 'Thing',
        metadata: { name: '', resourceVersion: this.version, ...annotations },
      },
    }
  }

  #send(event: WatchEvent<Thing>): void {
    this.#past.push({ version: this.#version, event })
    for (const stream of this.#reached()) deliver(stream, { event })
  }

  /** The streams that have not been at the present version yet; all of them, unless the server was restored. */
  #reached(): Stream[] {
    return [...this.#streams].filter(({ since }) => since <= this.#version)
  }

  #maybeFail(): void {
    const code = this.#failures.shift()
    if (code !== undefined && code !== 0) throw new KubeError('reach things', { code })
  }
}

function deliver(stream: Stream, what: Sent): void {
  if (stream.swallowed && !('end' in what)) return
  stream.waiting.push(what)
  stream.wakeUp()
}
