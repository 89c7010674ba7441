import type { Degraded } from './shoot-conditions.ts'

/** An operation that does not succeed. */
export interface SimulatedFailure {
  /** Error: gardenlet tries again by itself. Failed: it has given up. @default by the codes, as gardenlet decides */
  readonly state?: 'Error' | 'Failed'
  /** Such as ERR_INFRA_QUOTA_EXCEEDED. */
  readonly codes?: readonly string[]
  readonly description?: string
  /** How many operations fail. @default all, until the Shoot is healed */
  readonly times?: number
}

/** What is wrong with a Shoot. */
export interface Simulation {
  readonly failure?: SimulatedFailure
  readonly degraded: readonly Degraded[]
}

export const NOTHING_WRONG: Simulation = { degraded: [] }

/**
 * The annotation by which a person sets it: `{"state":"Failed","codes":["ERR_INFRA_QUOTA_EXCEEDED"]}`, or
 * `{"degraded":[{"type":"EveryNodeReady"}]}`. Without the annotation the Shoot is healed.
 */
export const SIMULATE = 'garden.caelus.io/simulate'

/** Undefined: there is no annotation, or it cannot be read. */
export function simulationIn(annotation: string | undefined): Simulation | undefined {
  if (annotation === undefined) return undefined
  try {
    const { degraded = [], ...failure } = JSON.parse(annotation) as SimulatedFailure & Partial<Simulation>
    return Object.keys(failure).length === 0 ? { degraded } : { failure, degraded }
  } catch {
    return undefined
  }
}

/** With these gardenlet gives up at once. */
const NOT_RETRYABLE = [
  'ERR_INFRA_UNAUTHENTICATED',
  'ERR_INFRA_UNAUTHORIZED',
  'ERR_INFRA_DEPENDENCIES',
  'ERR_INFRA_QUOTA_EXCEEDED',
  'ERR_INFRA_RATE_LIMITS_EXCEEDED',
  'ERR_CONFIGURATION_PROBLEM',
  'ERR_PROBLEMATIC_WEBHOOK',
]

export const stateOf = ({ state, codes = [] }: SimulatedFailure): 'Error' | 'Failed' =>
  state ?? (codes.some((code) => NOT_RETRYABLE.includes(code)) ? 'Failed' : 'Error')
