import type { ClustersEvents } from '../../domains/clusters/index.ts'
import type { ProcessEvents } from '../domain.ts'
import { withEvents } from '../../kernel/index.ts'

/** The emitter of a process with the events of clusters. */
export const clustersEvents = withEvents<ProcessEvents & ClustersEvents>
