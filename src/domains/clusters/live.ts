import { GARDENER_OPERATION, OPERATION_ID, type Shoot } from './gardener/shoot.ts'
import type { LiveShoot } from './observed.ts'
import { summaryOf } from './shoot/summary.ts'

/** What of a Shoot a decision depends on. */
export function liveOf(shoot: Shoot): LiveShoot {
  const { metadata, spec, status = {} } = shoot
  const pendingOperation = metadata.annotations?.[GARDENER_OPERATION]
  return {
    ...summaryOf(shoot),
    createdAt: Date.parse(metadata.creationTimestamp ?? '') || 0,
    isDeleting: metadata.deletionTimestamp !== undefined,
    generation: metadata.generation ?? 0,
    observedGeneration: status.observedGeneration ?? null,
    isToHibernate: spec.hibernation?.enabled ?? false,
    operationId: metadata.annotations?.[OPERATION_ID] ?? null,
    ...(pendingOperation !== undefined && { pendingOperation }),
  }
}
