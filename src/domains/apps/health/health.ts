import { objectHealth, type Health, type KubeObject } from '../../../kube/index.ts'
import { objectName } from '../drift/diff-objects.ts'
import type { JsonObject } from '../values/json.ts'

export type ObjectHealth = Health

/** The health of a live object, with the object's name in the reason. */
export function healthOf(live: KubeObject): ObjectHealth {
  const health = objectHealth(live)
  if (health.is === 'ready') return health
  return { ...health, because: `${objectName(live as unknown as JsonObject)} ${health.because}` }
}
