import { heldKey, whileHeld } from '../../../store/index.ts'
import { APPS_QUEUE, DEPLOYMENT } from '../queue.ts'

/** Begins a statement of deployment `$1` that changes something only under the fence `$2`. */
export const HELD = whileHeld(APPS_QUEUE, DEPLOYMENT)

/** `held` of such a statement, which locks the job after the rows that the part `before` of the statement locks. */
export const heldAfter = (before: string): string => heldKey(APPS_QUEUE, DEPLOYMENT, before)
