import { messageOf, type Emitter } from '../../kernel/index.ts'
import type { LeaderEvents } from '../../kube/index.ts'
import type { Logger } from '../../telemetry/index.ts'

/** Logs which process leads. */
export function logElections(emitter: Emitter<LeaderEvents>, log: Logger): void {
  emitter.on('leader:elected', (facts) => log.info(facts, 'Leading'))
  emitter.on('leader:resigned', (facts) => log.info(facts, 'Leadership released'))
  emitter.on('leader:lost', (facts) => log.warn(facts, 'Leadership lost'))
  emitter.on('leader:unreachable', ({ lease, error }) =>
    log.warn({ lease, failure: messageOf(error) }, 'Lease unreachable'),
  )
}
