import type { ShootCondition } from './shoot-status.ts'

/** What gardenlet says of a healthy Shoot. */
const HEALTHY: Readonly<Record<string, readonly [reason: string, message: string]>> = {
  APIServerAvailable: ['HealthzRequestSucceeded', 'API server /healthz endpoint responded with success status code.'],
  ControlPlaneHealthy: ['ControlPlaneRunning', 'All control plane components are healthy.'],
  ObservabilityComponentsHealthy: ['ObservabilityComponentsRunning', 'All observability components are healthy.'],
  EveryNodeReady: ['EveryNodeReady', 'All nodes are ready.'],
  SystemComponentsHealthy: ['SystemComponentsRunning', 'All system components are healthy.'],
}

const UNCONSTRAINED: Readonly<Record<string, readonly [reason: string, message: string]>> = {
  HibernationPossible: ['NoProblematicWebhooks', 'All webhooks are properly configured.'],
  MaintenancePreconditionsSatisfied: ['NoProblematicWebhooks', 'All webhooks are properly configured.'],
}

/** A condition that is not as it should be. */
export interface Degraded {
  readonly type: string
  /** @default False */
  readonly status?: 'False' | 'Unknown' | 'Progressing'
  readonly reason?: string
  readonly message?: string
  readonly codes?: readonly string[]
}

type Wanted = Pick<ShootCondition, 'type' | 'status' | 'reason' | 'message' | 'codes'>

/** The conditions after a check of the Shoot. Undefined: they are so already. */
export function checkedConditions(
  old: readonly ShootCondition[] = [],
  { isHibernated, degraded, now }: { isHibernated: boolean; degraded: readonly Degraded[]; now: string },
): readonly ShootCondition[] | undefined {
  const wanted = Object.entries(HEALTHY).map(([type, [reason, message]]): Wanted => {
    const worse = degraded.find((one) => one.type === type)
    if (worse !== undefined)
      return {
        type,
        status: worse.status ?? 'False',
        reason: worse.reason ?? `${type}Failed`,
        message: worse.message ?? `${type} is simulated to be ${worse.status ?? 'False'}.`,
        ...(worse.codes && { codes: worse.codes }),
      }
    return isHibernated
      ? { type, status: 'True', reason: 'ConditionNotChecked', message: 'Shoot cluster has been hibernated.' }
      : { type, status: 'True', reason, message }
  })
  return changed(old, wanted, now)
}

export const checkedConstraints = (
  old: readonly ShootCondition[] = [],
  now: string,
): readonly ShootCondition[] | undefined =>
  changed(
    old,
    Object.entries(UNCONSTRAINED).map(([type, [reason, message]]) => ({ type, status: 'True', reason, message })),
    now,
  )

function changed(
  old: readonly ShootCondition[],
  wanted: readonly Wanted[],
  now: string,
): readonly ShootCondition[] | undefined {
  const next = wanted.map((one): ShootCondition => {
    const known = old.find(({ type }) => type === one.type)
    if (known?.status !== one.status) return { ...one, lastTransitionTime: now, lastUpdateTime: now }
    const isSame = known.reason === one.reason && known.message === one.message
    return isSame ? known : { ...one, lastTransitionTime: known.lastTransitionTime, lastUpdateTime: now }
  })
  if (next.every((one) => old.includes(one))) return undefined
  return [...next, ...old.filter(({ type }) => !wanted.some((one) => one.type === type))]
}

/** Before the first check. */
export const initialConditions = (now: string): readonly ShootCondition[] =>
  Object.keys(HEALTHY).map((type) => ({
    type,
    status: 'Unknown',
    reason: 'ConditionInitialized',
    message: 'The condition has been initialized but its semantic check has not been performed yet.',
    lastTransitionTime: now,
    lastUpdateTime: now,
  }))

/** After an operation, until they have been checked again. */
export const conditionsInProgress = (old: readonly ShootCondition[], now: string): readonly ShootCondition[] =>
  old.map((one) => (one.status === 'False' ? one : { ...one, status: 'Progressing', lastUpdateTime: now }))
