import type { RuntimesEvents } from '../../domains/runtimes/index.ts'
import type { ProcessEvents } from '../domain.ts'
import { withEvents } from '../../kernel/index.ts'

/** The emitter of a process with the events of runtimes. */
export const runtimesEvents = withEvents<ProcessEvents & RuntimesEvents>
