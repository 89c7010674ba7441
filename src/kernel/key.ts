/*
 * Terms used in this folder
 *
 * - key:     what to reconcile (kind + id); a queue holds at most one entry per key
 * - wake:    a hint that a key may need work; many wakes, one run
 * - claim:   a worker's lease on a key; it expires, unlike a lock held open
 * - fence:   a number that only grows; every claim gets a new one, so a former holder is distinguishable from the present one
 * - attempt: a run that ended in an error; waiting is not an attempt
 * - tenant:  on whose behalf a key is reconciled; the unit of fairness
 */

/** Identifies an object to reconcile. It does not say what happened to the object. */
export interface Key {
  readonly kind: string
  readonly id: string
}

export const keyText = (key: Key): string => `${key.kind}/${key.id}`

export const sameKey = (a: Key, b: Key): boolean => a.kind === b.kind && a.id === b.id

/** Why a key was woken, weakest first. For order, logs and metrics; a reconciler does not see it. */
export const WAKE_REASONS = ['drift', 'retry', 'childChanged', 'changed', 'created', 'deleted'] as const
export type WakeReason = (typeof WAKE_REASONS)[number]

export const strongerReason = (a: WakeReason, b: WakeReason): WakeReason =>
  WAKE_REASONS.indexOf(a) >= WAKE_REASONS.indexOf(b) ? a : b

/** A user changed the desired state. All other reasons are changes of the actual state. */
export const isUserMade = (reason: WakeReason): boolean =>
  reason === 'created' || reason === 'changed' || reason === 'deleted'

/** Smaller runs first: changes by users, then changes of the actual state, then the drift scan. */
export const priorityOf = (reason: WakeReason): number => (isUserMade(reason) ? 0 : reason === 'drift' ? 2 : 1)
