import { createEmitter, systemClock, type Emitter } from '../../../src/kernel/index.ts'
import {
  cache,
  ConfigMap,
  type Cache,
  type CacheSpec,
  type CoreV1,
  type KubeObject,
  type WatchEvents,
  type WatchSource,
} from '../../../src/kube/index.ts'

export interface SeenCache extends AsyncDisposable {
  readonly cached: Cache<CoreV1.ConfigMap>
  readonly say: Emitter<WatchEvents>
  /** Every happening, by name, in order. */
  readonly heard: string[]
}

/** A cache of the ConfigMaps of a namespace, stopped at the end of the test, and the changes that it reported. */
export function seenCache(
  source: WatchSource,
  namespace: string,
  spec: Partial<CacheSpec<CoreV1.ConfigMap, CoreV1.ConfigMap>> = {},
): SeenCache {
  const say = createEmitter<WatchEvents>()
  const heard: string[] = []
  for (const name of ['watch:connected', 'watch:reconnected', 'watch:relisted', 'watch:idle', 'watch:error'] as const)
    say.on(name, (what) => heard.push('why' in what ? `${name} ${what.why}` : name))
  const cached = cache<CoreV1.ConfigMap>(
    { source, clock: systemClock, emitter: say },
    { resource: ConfigMap, where: { namespace }, ...spec },
  )
  return { cached, say, heard, [Symbol.asyncDispose]: () => cached.stop() }
}

/** Resolves when the cache shows it; rejects with what it shows instead after the deadline. */
export async function showing<K extends KubeObject>(
  cached: Cache<K>,
  what: string,
  holds: () => boolean,
  withinMs = 30_000,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stopListening = cached.onChange(() => holds() && resolve())
  const timer = setTimeout(
    () => reject(new Error(`the cache of ${cached.size} did not show ${what} within ${withinMs} ms`)),
    withinMs,
  )
  try {
    if (!holds()) await promise
  } finally {
    clearTimeout(timer)
    stopListening()
  }
}

export const configMap = (namespace: string, name: string, text = 'x') => ({
  apiVersion: 'v1' as const,
  kind: 'ConfigMap' as const,
  metadata: { name, namespace },
  data: { text },
})
