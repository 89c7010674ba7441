import type { Shoot } from '../shoot.ts'

/** The annotation that tells the stand-in of gardenlet what goes wrong with a Shoot, as JSON of `Simulated`. */
export const SIMULATE = 'garden.caelus.io/simulate'

/** Gardener gives up at once where an error has one of these codes. */
const NOT_RETRIED: ReadonlySet<string> = new Set([
  'ERR_INFRA_UNAUTHENTICATED',
  'ERR_INFRA_UNAUTHORIZED',
  'ERR_INFRA_DEPENDENCIES',
  'ERR_INFRA_QUOTA_EXCEEDED',
  'ERR_INFRA_RATE_LIMITS_EXCEEDED',
  'ERR_CONFIGURATION_PROBLEM',
  'ERR_PROBLEMATIC_WEBHOOK',
])

export const failedState = ({ state, codes = [] }: SimulatedFailure): 'Error' | 'Failed' =>
  state ?? (codes.some((code) => NOT_RETRIED.has(code)) ? 'Failed' : 'Error')

/**
 * Operations that end in an error; a Shoot at rest is reconciled, to show it. `Error` is retried, `Failed` only after
 * `retry` or a change of the spec.
 */
export interface SimulatedFailure {
  /** @default what Gardener makes of the codes */
  readonly state?: 'Error' | 'Failed'
  readonly description?: string
  /** Gardener's codes, such as `ERR_INFRA_QUOTA_EXCEEDED`. */
  readonly codes?: readonly string[]
  /** The percentage at which the operation stops. @default 40 */
  readonly at?: number
}

/** A condition that does not hold although the last operation succeeded. */
export interface SimulatedCondition {
  readonly type: string
  /** @default False */
  readonly status?: 'False' | 'Unknown' | 'Progressing'
  readonly reason?: string
  readonly message?: string
  readonly codes?: readonly string[]
}

export interface Simulated {
  readonly fail?: SimulatedFailure
  readonly degrade?: SimulatedCondition
}

/** What is to go wrong with a Shoot. Text that nobody can read is nothing. */
export function simulatedIn({ metadata }: Pick<Shoot, 'metadata'>): Simulated {
  const text = metadata.annotations?.[SIMULATE]
  if (text === undefined) return {}
  try {
    const read: unknown = JSON.parse(text)
    return typeof read === 'object' && read !== null ? read : {}
  } catch {
    return {}
  }
}
