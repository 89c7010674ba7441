import {
  keyText,
  mergeWakes,
  sameKey,
  type Clock,
  type Key,
  type Queue,
  type Wake,
  type WakeReason,
} from '../../kernel/index.ts'
import { cacheKey, type Change } from './store.ts'
import type { Cache } from './cache.ts'
import type { At, KubeObject, Resource } from '../objects.ts'

/** Maps the objects of a cache to the keys of a queue. */
export interface WakeRule<K extends KubeObject> {
  readonly keys: (object: K) => readonly Key[]
  /** `self`: the objects are reconciled themselves. `child`: they were created for the reconciled object. */
  readonly relation: 'self' | 'child'
}

export interface WakeOptions<K extends KubeObject> {
  /** Whether a change needs a run, such as `specChanged`. @default every change */
  readonly worth?: (change: Change<K>) => boolean
  readonly tenant?: (object: K) => string | undefined
  /** Ignore changes that we wrote. Only for a cache that a single controller writes through. @default false */
  readonly ignoreOwnWrites?: boolean
}

/** The object that a key of `itself` or `controllerOf` names. */
export function keyAt({ id }: Key): At {
  const slash = id.indexOf('/')
  return slash === -1 ? { name: id } : { namespace: id.slice(0, slash), name: id.slice(slash + 1) }
}

/** The objects themselves, each under `namespace/name`. */
export const itself = (resource: Resource): WakeRule<KubeObject> => ({
  relation: 'self',
  keys: ({ metadata }) => [{ kind: resource.kind, id: cacheKey(metadata) }],
})

/** The controlling owner; the cache must keep `metadata.ownerReferences`. */
export function controllerOf(owner: Resource): WakeRule<KubeObject> {
  const group = `${owner.group}/`
  const isOfGroup = (apiVersion: string): boolean =>
    owner.group === '' ? !apiVersion.includes('/') : apiVersion.startsWith(group)
  return {
    relation: 'child',
    keys({ metadata }) {
      const ref = metadata.ownerReferences?.find((one) => one.controller === true)
      if (ref === undefined || ref.kind !== owner.kind || !isOfGroup(ref.apiVersion)) return []
      const { namespace } = metadata
      const at = owner.namespaced && namespace !== undefined ? { namespace, name: ref.name } : { name: ref.name }
      return [{ kind: owner.kind, id: cacheKey(at) }]
    },
  }
}

/** Ignores changes of status only, which do not change the generation. The start of a deletion counts. */
export function specChanged(change: Change<KubeObject>): boolean {
  if (change.type !== 'changed') return true
  const [old, next] = [change.old.metadata, change.new.metadata]
  return (
    old.generation !== next.generation ||
    old.deletionTimestamp !== next.deletionTimestamp ||
    next.generation === undefined
  )
}

/** The pause before a wake that the queue refused is repeated. */
const RETRY_MS = 1_000

/** Wakes that are repeated until the queue has accepted them. */
export interface RepeatedWakes {
  wake(key: Key, how: Wake): void
  stop(): void
}

export function repeatedWakes(queue: Pick<Queue, 'wake'>, clock: Clock): RepeatedWakes {
  const untaken = new Map<string, readonly [Key, Wake]>()
  let cancelRetry: (() => void) | undefined
  let stopped = false

  const wake = (key: Key, how: Wake): void => {
    queue.wake(key, how).catch(() => {
      if (stopped) return
      const earlier = untaken.get(keyText(key))
      untaken.set(keyText(key), [key, earlier === undefined ? how : mergeWakes(earlier[1], how)])
      cancelRetry ??= clock.after(RETRY_MS, retry)
    })
  }
  const retry = (): void => {
    cancelRetry = undefined
    const again = [...untaken.values()]
    untaken.clear()
    for (const [key, how] of again) wake(key, how)
  }
  return {
    wake,
    stop() {
      stopped = true
      cancelRetry?.()
    },
  }
}

/**
 * Wakes the keys of a queue when objects of a cache change, and all of them when the cache is first filled.
 * A wake that the queue refused is repeated until it is accepted. Returns a function that stops it.
 *
 * Call it before the cache starts, or the objects of the first list wake nothing.
 */
export function wakeOn<K extends KubeObject>(
  cache: Pick<Cache<K>, 'onChange'>,
  queue: Pick<Queue, 'wake'>,
  rule: WakeRule<K>,
  { clock, ...options }: WakeOptions<K> & { readonly clock: Clock },
): () => void {
  const { worth, tenant, ignoreOwnWrites = false } = options
  const wakes = repeatedWakes(queue, clock)
  const wakeAll = (keys: readonly Key[], object: K, reason: WakeReason): void => {
    const whose = tenant?.(object)
    const how = whose === undefined ? { reason } : { reason, tenant: whose }
    for (const key of keys) wakes.wake(key, how)
  }

  const stopListening = cache.onChange((change) => {
    if (ignoreOwnWrites && change.via === 'write') return
    if (worth !== undefined && !worth(change)) return
    const reason = rule.relation === 'child' ? 'childChanged' : reasonOf(change)
    const present = change.type === 'deleted' ? change.old : change.new
    const keys = rule.keys(present)
    wakeAll(keys, present, reason)
    if (change.type !== 'changed') return
    // A child that changed its owner wakes the former owner as well.
    const left = rule.keys(change.old).filter((old) => !keys.some((key) => sameKey(old, key)))
    wakeAll(left, change.old, reason)
  })

  return () => {
    stopListening()
    wakes.stop()
  }
}

function reasonOf(change: Change<KubeObject>): WakeReason {
  switch (change.type) {
    case 'deleted':
      return 'deleted'
    case 'added':
      if (change.via === 'firstList') return 'drift'
      return change.new.metadata.deletionTimestamp === undefined ? 'created' : 'deleted'
    case 'changed':
      return change.new.metadata.deletionTimestamp === undefined ? 'changed' : 'deleted'
    default:
      return change satisfies never
  }
}
