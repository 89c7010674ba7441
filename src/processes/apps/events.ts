import type { AppsEvents } from '../../domains/apps/index.ts'
import type { ProcessEvents } from '../domain.ts'
import { withEvents } from '../../kernel/index.ts'

/** The emitter of a process with the events of apps. */
export const appsEvents = withEvents<ProcessEvents & AppsEvents>
