import { aborted, service, sleep, type Clock, type Service } from '../../../kernel/index.ts'
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

/** Part of every cluster. */
const BUILT_IN: ReadonlySet<ManagedKind> = new Set(['Deployment', 'Service', 'HorizontalPodAutoscaler'])
/** A definition that is there without being served is asked for again after this long, or when it changes. */
const UNSERVED_MS = 30_000

export type ChildCache = Cache<KubeObject>

export interface Apis extends Service {
  /** In the order of `MANAGED_KINDS`. */
  served(): readonly ManagedKind[]
  /** `undefined`: this cluster does not serve the kind. */
  cacheOf(kind: ManagedKind): ChildCache | undefined
}

export interface ApisOptions {
  readonly watching: WatchDeps
  readonly clock: Clock
  readonly open: (kind: ManagedKind) => ChildCache
  /** Called before a cache is started. Answers with the way to stop listening. */
  readonly listen: (kind: ManagedKind, cache: ChildCache) => () => void
  /** A kind has come or gone since the start. */
  readonly onChange: () => void
}

interface Open {
  readonly cache: ChildCache
  readonly stop: () => Promise<void>
}

/**
 * The caches of all managed kinds that the cluster serves. Definitions that appear or vanish later are noticed, and the
 * caches follow. `start` resolves when every kind that is served has been listed once, so that nobody takes one that is
 * merely slow for one that is missing.
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

  /** A definition that is being deleted takes its objects along, and waits for ever if they are made anew meanwhile. */
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
    const vanished = Promise.withResolvers<void>()
    const stopWatching = definitions.onChange(() => void (isDefined(kind) || vanished.resolve()))
    await Promise.race([made.start(), vanished.promise, aborted(signal)]).finally(stopWatching)
    if (signal.aborted || !isDefined(kind)) return stop()
    opened.set(kind, { cache: made, stop })
  }

  const end = async (kind: ManagedKind): Promise<void> => {
    const known = opened.get(kind)
    opened.delete(kind)
    await known?.stop()
  }

  /** Answers with whether some definition is there without being served yet. */
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
    try {
      await Promise.race([definitions.start(), aborted(signal)])
      await Promise.all([...BUILT_IN].map((kind) => begin(kind, signal)))
      let isReady = false
      while (!signal.aborted) {
        bell = Promise.withResolvers()
        const isWaiting = await follow(signal)
        if (!isReady) ready()
        isReady = true
        const pause = isWaiting ? sleep(clock, UNSERVED_MS, signal) : aborted(signal)
        await Promise.race([bell.promise, pause]).catch(() => {})
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

/** Any answer but "no such resource" says that it is there; a cache copes with the others by itself. */
const isServed = ({ source }: Pick<WatchDeps, 'source'>, resource: Resource, signal: AbortSignal): Promise<boolean> =>
  source.listPage(resource, { limit: 1 }, signal).then(
    () => true,
    (error: unknown) => !isNotFound(error),
  )
