import { whileHeld } from '../../../store/index.ts'
import { APPS_QUEUE, DEPLOYMENT } from '../queue.ts'

/** Begins a statement of deployment `$1` that changes something only under the fence `$2`. */
export const HELD = whileHeld(APPS_QUEUE, DEPLOYMENT)
