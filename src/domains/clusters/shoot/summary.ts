import type { Shoot } from '../gardener/shoot.ts'
import type { ShootSummary } from '../types.ts'

/** What is kept of a Shoot in the row of its cluster. */
export function summaryOf({ metadata, spec, status = {} }: Shoot): ShootSummary {
  const { lastOperation, conditions = [], lastErrors = [], credentials } = status
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid ?? '',
    kubernetesVersion: spec.kubernetes.version,
    isHibernated: status.hibernated ?? false,
    operation:
      lastOperation === undefined
        ? null
        : {
            type: lastOperation.type,
            state: lastOperation.state,
            progress: lastOperation.progress,
            description: lastOperation.description,
            updatedAt: timeOf(lastOperation.lastUpdateTime),
          },
    conditions: conditions.map(
      ({ type, status: value, reason = '', message = '', codes = [], lastTransitionTime }) => ({
        type,
        status: value,
        reason,
        message,
        ...(codes.length > 0 && { codes }),
        since: timeOf(lastTransitionTime),
      }),
    ),
    errors: lastErrors.map(({ description, codes = [] }) => ({ description, codes })),
    rotation: rotationOf(credentials?.rotation ?? {}),
  }
}

const rotationOf = (parts: Readonly<Record<string, { readonly phase?: string } | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parts).flatMap(([part, state]) => (state?.phase === undefined ? [] : [[part, state.phase]])),
  )

/** `null` for a time that is missing or unreadable. */
function timeOf(text: string | undefined): number | null {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? null : time
}
