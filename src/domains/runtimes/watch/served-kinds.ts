import { service, type Clock, type Service } from '../../../kernel/index.ts'
import {
  cache,
  CustomResourceDefinition,
  isNotFound,
  keeping,
  type Cache,
  type KubeObject,
  type Resource,
  type WatchDeps,
} from '../../../kube/index.ts'
import { resourceOf } from './optional-kinds.ts'
import { MANAGED_KINDS, type ManagedKind } from '../types.ts'

/** Served by every API server. */
const BUILT_IN: ReadonlySet<ManagedKind> = new Set(['Deployment', 'Service', 'HorizontalPodAutoscaler'])
/** How often a definition that is not served yet is checked again. */
const UNSERVED_MS = 30_000

export type ChildCache = Cache<KubeObject>

export interface Apis extends Service {
  /** In the order of `MANAGED_KINDS`. */
  served(): readonly ManagedKind[]
  /** `undefined`: the API server does not serve the kind. */
  cacheOf(kind: ManagedKind): ChildCache | undefined
}

export interface ApisOptions {
  readonly watching: WatchDeps
  readonly clock: Clock
  readonly open: (kind: ManagedKind) => ChildCache
  /** Called before a cache is started. Returns a function that removes the listener. */
  readonly listen: (kind: ManagedKind, cache: ChildCache) => () => void
  /** A kind was added or removed since the start. */
  readonly onChange: () => void
}

interface Open {
  readonly cache: ChildCache
  readonly stop: () => Promise<void>
}

/**
 * The caches of all managed kinds that the API server serves. They follow definitions that are created or deleted later.
 * `start` resolves when every kind that is served has been listed once, so that a slow kind is not taken for a missing one.
 */
export function apis({ watching, clock, open, listen, onChange }: ApisOptions): Apis {
  const opened = new Map<ManagedKind, Open>()
  const definitions = cache(watching, {
    resource: CustomResourceDefinition,
    metadataOnly: true,
    keep: keeping(),
  })
  let bell = Promise.withResolvers<void>()
  definitions.onChange(() => bell.resolve())

  /** A definition that is being deleted counts as absent: creating its objects again would block the deletion. */
  const isDefined = (kind: ManagedKind): boolean => {
    if (BUILT_IN.has(kind)) return true
    const definition = definitions.get({ name: definitionOf(kind) })
    return definition !== undefined && definition.metadata.deletionTimestamp === undefined
  }

  const begin = async (kind: ManagedKind, signal: AbortSignal): Promise<void> => {
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

  const end = async (kind: ManagedKind): Promise<void> => {
    const known = opened.get(kind)
    opened.delete(kind)
    await known?.stop()
  }

  /** Returns whether a definition exists that is not served yet. */
  const follow = async (signal: AbortSignal): Promise<boolean> => {
    let isWaiting = false
    const before = opened.size
    for (const kind of MANAGED_KINDS) {
      if (BUILT_IN.has(kind)) continue
      if (!isDefined(kind) && opened.has(kind)) await end(kind)
      if (!isDefined(kind) || opened.has(kind)) continue
      if (await isServed(watching, resourceOf(kind), signal)) await begin(kind, signal)
      else isWaiting = true
    }
    if (opened.size !== before) onChange()
    return isWaiting
  }

  const running = service('caches of managed kinds', async (signal, ready) => {
    const stopped = Promise.withResolvers<void>()
    const onAbort = (): void => {
      stopped.resolve()
      bell.resolve()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      await Promise.race([definitions.start(), stopped.promise])
      await Promise.all([...BUILT_IN].map((kind) => begin(kind, signal)))
      let isReady = false
      while (!signal.aborted) {
        bell = Promise.withResolvers()
        const isWaiting = await follow(signal)
        if (!isReady) ready()
        isReady = true
        const cancelTimer = isWaiting ? clock.after(UNSERVED_MS, bell.resolve) : () => {}
        await bell.promise.finally(cancelTimer)
      }
    } finally {
      await definitions.stop()
      await Promise.all([...opened.keys()].map(end))
    }
  })
  return {
    ...running,
    served: () => MANAGED_KINDS.filter((kind) => opened.has(kind)),
    cacheOf: (kind) => opened.get(kind)?.cache,
  }
}

const definitionOf = (kind: ManagedKind): string => {
  const { plural, group } = resourceOf(kind)
  return `${plural}.${group}`
}

/** Any answer but a 404 means that the kind is served; a cache handles other errors. */
const isServed = ({ source }: Pick<WatchDeps, 'source'>, resource: Resource, signal: AbortSignal): Promise<boolean> =>
  source.listPage(resource, { limit: 1 }, signal).then(
    () => true,
    (error: unknown) => !isNotFound(error),
  )
