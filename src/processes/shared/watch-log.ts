import type { Emitter } from '../../kernel/index.ts'
import type { WatchEvents } from '../../kube/index.ts'
import type { FailureLog, Logger } from '../../telemetry/index.ts'

const FAILED = 'Watch failed'

/**
 * Logs the events of watches. An unreachable API server and a missing RBAC rule are warnings, repeated at
 * most once a minute for each watched resource; everyday reconnections are debug lines.
 */
export function logWatches(
  emitter: Emitter<WatchEvents>,
  log: Pick<Logger, 'debug' | 'info' | 'warn'>,
  failures: FailureLog,
): void {
  emitter.on('watch:error', ({ resource, error, failures: count, retryInMs }) =>
    failures.failed(FAILED, error, { resource }, { failures: count, retryInMs: Math.round(retryInMs) }),
  )
  emitter.on('watch:idle', ({ resource, silentMs }) => log.debug({ resource, silentMs }, 'Watch was silent'))
  emitter.on('watch:connected', ({ resource, ms, objects }) => {
    failures.recovered(FAILED, { resource })
    log.debug({ resource, ms: Math.round(ms), objects }, 'Watch connected')
  })
  emitter.on('watch:relisted', ({ resource, why, ms, objects }) => {
    failures.recovered(FAILED, { resource })
    log.debug({ resource, why, ms: Math.round(ms), objects }, 'Watch listed again')
  })
  emitter.on('watch:reconnected', ({ resource, why }) => log.debug({ resource, why }, 'Watch reconnecting'))
  emitter.on('watch:behind', ({ resource, foundBy, missed, overdue }) => {
    const facts = { resource, foundBy, missed, overdue }
    if (overdue > 0) log.warn(facts, 'Watch missed changes')
    else log.info(facts, 'Watch was late')
  })
}
