import type { ClassRuntime } from '../class-runtime.ts'
import type { RenderedFunction } from './template.ts'

/** What ODGM is told about each collection: its shards, and where its functions are called. The same truth is the same text. */
export function collectionsOf(runtime: ClassRuntime, functions: readonly RenderedFunction[]): readonly object[] {
  const { odgm_config: config = {}, package_class_key: classKey } = runtime.spec
  const names = config.collections ?? []
  const invocations = {
    fn_routes: routesOf(runtime, functions),
    disabled_fn: (config.invocations?.disabled_fn ?? []).toSorted(),
  }
  return (names.length > 0 ? names : [classKey ?? runtime.metadata.name]).map((name) => ({
    name,
    partition_count: config.partition_count ?? 1,
    replica_count: config.replica_count ?? 1,
    shard_type: config.shard_type ?? 'none',
    ...(config.collection_assignments?.[name] && { shard_assignments: config.collection_assignments[name] }),
    options: sorted(config.options ?? {}),
    invocations,
  }))
}

/** Every function has a route; what the spec says about one is laid over it. */
function routesOf({ spec }: ClassRuntime, functions: readonly RenderedFunction[]): Readonly<Record<string, object>> {
  const declared = spec.odgm_config?.invocations?.fn_routes ?? {}
  const own = functions.map((fn) => [fn.functionKey, { function_key: fn.functionKey, ...whereIs(spec, fn) }] as const)
  const routes: Record<string, object> = Object.fromEntries(own)
  for (const [id, route] of Object.entries(declared)) {
    routes[id] = { ...routes[route.function_key ?? id], ...routes[id], ...route }
  }
  return sorted(routes)
}

function whereIs({ functions = [] }: ClassRuntime['spec'], { functionKey, predictedUrl }: RenderedFunction) {
  const wasm = functions.find(({ function_key: key }) => key === functionKey)?.provision_config?.wasm_module_url ?? ''
  return { url: predictedUrl, ...(wasm !== '' && { wasm_module_url: wasm }) }
}

const sorted = <T>(map: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1)))
