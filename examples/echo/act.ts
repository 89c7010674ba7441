import { at, ConfigMap, type Draft, isConflict, type Reader, type Writer } from '../../src/kube/index.ts'
import type { Decision } from './decide.ts'
import type { Caches } from './observe.ts'

/**
 * Applies the child and writes the server's answer into the cache, so that the next run does not decide on older state.
 *
 * A cached child is overwritten. Another object of that name is not, unless it is our child whose label was removed.
 */
export async function act(
  client: Reader & Writer,
  { children }: Caches,
  { child }: Decision,
  signal: AbortSignal,
): Promise<void> {
  if (child === undefined) return
  const { apply, takeOver } = child
  const applied = await client.apply(ConfigMap, apply, { force: takeOver, signal }).catch(async (error: unknown) => {
    if (!isConflict(error) || !(await isHidden(client, apply, signal))) throw error
    return client.apply(ConfigMap, apply, { force: true, signal })
  })
  children.wrote(applied)
}

async function isHidden(client: Reader, wanted: Draft<ConfigMap>, signal: AbortSignal): Promise<boolean> {
  const there = await client.get(ConfigMap, at(wanted), signal)
  const owner = wanted.metadata.ownerReferences?.[0]
  return there?.metadata.ownerReferences?.some(({ uid }) => uid === owner?.uid) ?? false
}
