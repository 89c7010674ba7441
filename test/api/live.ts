import { publishChanges, type ChangeTopic } from '../../src/api/index.ts'
import { startAll } from '../../src/kernel/index.ts'
import { listener, unsentChanges } from '../../src/store/index.ts'
import type { World } from './world.ts'

/** Publishes changes of rows as the processes of the API do. Resolves when it listens, with the way to stop. */
export async function publishLive(
  { url, pool, parts: { events } }: Pick<World, 'url' | 'pool' | 'parts'>,
  topics: readonly ChangeTopic[] = [],
): Promise<() => Promise<void>> {
  const changes = listener({ url, applicationName: 'test changes' })
  publishChanges({ listener: changes, events, topics })
  return await startAll([changes, unsentChanges({ pool, listener: changes })])
}
