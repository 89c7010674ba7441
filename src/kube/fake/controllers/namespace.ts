import type { Json } from '../json.ts'
import { placeOf } from '../storage.ts'
import type { World } from '../world.ts'
import { deleteIfPresent, isTerminating, kindOf } from './objects.ts'

/**
 * One turn of the namespace controller: deletes what is in terminating namespaces, and removes those that were empty
 * when the turn began.
 */
export function emptyNamespaces(world: World, everything: readonly Json[]): void {
  for (const namespace of everything) {
    if (namespace['kind'] !== 'Namespace' || !isTerminating(namespace)) continue
    const { name } = placeOf(namespace)
    const content = everything.filter((object) => placeOf(object).namespace === name)
    for (const object of content) if (!isTerminating(object)) deleteIfPresent(world, object)
    const kind = kindOf(world, namespace)
    if (kind !== undefined && content.length === 0) world.storage.remove(kind, namespace)
  }
}
