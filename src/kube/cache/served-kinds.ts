import { service, type Service } from '../../kernel/index.ts'
import { isNotFound } from '../errors.ts'
import type { KubeObject, Resource } from '../objects.ts'
import { CustomResourceDefinition } from '../resources.ts'
import type { WatchDeps } from '../watch/watch.ts'
import { cache, type Cache } from './cache.ts'
import { keeping } from './keep.ts'

/** Caches of kinds that the API server may not serve, by the caller's name of each kind. */
export interface ServedKinds<N extends string> extends Service {
  /** In the order of the option `resources`. */
  served(): readonly N[]
  /** `undefined`: the API server does not serve the kind. */
  cacheOf(kind: N): Cache<KubeObject> | undefined
}

export interface ServedKindsOptions<N extends string> {
  readonly watching: WatchDeps
  readonly resources: Readonly<Record<N, Resource>>
  /** Kinds without a CustomResourceDefinition: every API server serves them. */
  readonly builtIn: readonly NoInfer<N>[]
  readonly open: (kind: N) => Cache<KubeObject>
  /** Called before a cache is started. Returns a function that removes the listener. @default no listener */
  readonly listen?: (kind: N, cache: Cache<KubeObject>) => () => void
  /** Called when a kind was added or removed since the start. */
  readonly onChange?: () => void
  /** How often a definition that is not served yet is checked again. @default 30_000 */
  readonly recheckMs?: number
}

interface Open {
  readonly cache: Cache<KubeObject>
  readonly stop: () => Promise<void>
}

/**
 * Opens the caches of all kinds that the API server serves, and follows definitions that are created or deleted later.
 * `start` resolves when every served kind has been listed once, so that a slow kind is not taken for a missing one.
 */
export function servedKinds<N extends string>(options: ServedKindsOptions<N>): ServedKinds<N> {
  const { watching, resources, open, listen = () => () => {}, onChange = () => {}, recheckMs = 30_000 } = options
  const kinds = Object.keys(resources) as N[]
  const builtIn = new Set(options.builtIn)
  const opened = new Map<N, Open>()
  const definitions = cache(watching, {
    resource: CustomResourceDefinition,
    metadataOnly: true,
    keep: keeping(),
  })
  let changed = Promise.withResolvers<void>()
  definitions.onChange(() => changed.resolve())

  /** A definition that is being deleted counts as absent: creating its objects again would block the deletion. */
  const isDefined = (kind: N): boolean => {
    if (builtIn.has(kind)) return true
    const { plural, group } = resources[kind]
    const definition = definitions.get({ name: `${plural}.${group}` })
    return definition !== undefined && definition.metadata.deletionTimestamp === undefined
  }

  const begin = async (kind: N, signal: AbortSignal): Promise<void> => {
    const made = open(kind)
    const stopListening = listen(kind, made)
    const stop = async (): Promise<void> => {
      stopListening()
      await made.stop()
    }
    const ended = Promise.withResolvers<void>()
    const onAbort = (): void => ended.resolve()
    const stopWatching = definitions.onChange(() => void (isDefined(kind) || ended.resolve()))
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
    await Promise.race([made.start(), ended.promise]).finally(() => {
      stopWatching()
      signal.removeEventListener('abort', onAbort)
    })
    if (signal.aborted || !isDefined(kind)) return stop()
    opened.set(kind, { cache: made, stop })
  }

  const end = async (kind: N): Promise<void> => {
    const known = opened.get(kind)
    opened.delete(kind)
    await known?.stop()
  }

  /** Returns whether a definition exists that is not served yet. */
  const follow = async (signal: AbortSignal): Promise<boolean> => {
    let isWaiting = false
    const before = new Map(opened)
    for (const kind of kinds) {
      if (builtIn.has(kind)) continue
      if (!isDefined(kind) && opened.has(kind)) await end(kind)
      if (!isDefined(kind) || opened.has(kind)) continue
      if (await isServed(watching, resources[kind], signal)) await begin(kind, signal)
      else isWaiting = true
    }
    if (kinds.some((kind) => opened.get(kind) !== before.get(kind))) onChange()
    return isWaiting
  }

  const running = service('caches of served kinds', async (signal, ready) => {
    const stopped = Promise.withResolvers<void>()
    const onAbort = (): void => {
      stopped.resolve()
      changed.resolve()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      await Promise.race([definitions.start(), stopped.promise])
      await Promise.all([...builtIn].map((kind) => begin(kind, signal)))
      let isReady = false
      while (!signal.aborted) {
        changed = Promise.withResolvers()
        const isWaiting = await follow(signal)
        if (!isReady) ready()
        isReady = true
        const cancelTimer = isWaiting ? watching.clock.after(recheckMs, changed.resolve) : () => {}
        await changed.promise.finally(cancelTimer)
      }
    } finally {
      await definitions.stop()
      await Promise.all([...opened.keys()].map(end))
    }
  })
  return {
    ...running,
    served: () => kinds.filter((kind) => opened.has(kind)),
    cacheOf: (kind) => opened.get(kind)?.cache,
  }
}

/** Any answer but a 404 means that the kind is served; a cache handles other errors. */
const isServed = ({ source }: Pick<WatchDeps, 'source'>, resource: Resource, signal: AbortSignal): Promise<boolean> =>
  source.listPage(resource, { limit: 1 }, signal).then(
    () => true,
    (error: unknown) => !isNotFound(error),
  )
