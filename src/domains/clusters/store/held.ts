import { whileHeld } from '../../../store/index.ts'
import { CLUSTER, CLUSTERS_QUEUE } from '../queue.ts'

/** Begins a statement of cluster `$1` that changes something only under the fence `$2`. */
export const HELD = whileHeld(CLUSTERS_QUEUE, CLUSTER)
