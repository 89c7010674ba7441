import type { ClustersEvents } from '../../domains/clusters/index.ts'
import type { Emitter } from '../../kernel/index.ts'
import type { FailureLog, Logger } from '../../telemetry/index.ts'

const AWAY = 'Gardener not reached'

/** Logs the events of the clusters worker. */
export function logClusters(
  emitter: Emitter<ClustersEvents>,
  log: Pick<Logger, 'debug' | 'info' | 'warn'>,
  failures: FailureLog,
): void {
  emitter.on('clusters:step', ({ cluster, step, ms, failure }) => {
    const facts = { cluster, step, ms: Math.round(ms) }
    if (failure === undefined) return log.debug(facts, 'Step done')
    log.warn({ ...facts, code: failure.code, failure: failure.message, whoseMove: failure.whoseMove }, 'Step failed')
  })
  emitter.on('clusters:scanned', ({ clusters, woken, ms }) =>
    log.debug({ clusters, woken, ms: Math.round(ms) }, 'Clusters compared with their Shoots'),
  )
  emitter.on('clusters:scanFailed', ({ error }) => failures.failed('Clusters not compared with their Shoots', error))
  emitter.on('clusters:orphanRemoved', (facts) => log.warn(facts, 'Shoot without a cluster deleted'))
  emitter.on('clusters:orphanRetried', (facts) =>
    log.warn(facts, 'Deletion of a Shoot without a cluster asked for again'),
  )
  emitter.on('clusters:orphanStuck', ({ shoot, failure }) => {
    const { code, message, nextStep } = failure
    log.warn({ shoot, code, failure: message, nextStep }, 'Shoot without a cluster cannot be deleted by Gardener')
  })
  emitter.on('clusters:orphansKept', ({ failure }) => {
    const { code, message, nextStep } = failure
    log.warn({ code, failure: message, nextStep }, 'Shoots without a cluster left alone')
  })
  emitter.on('clusters:gardenerAway', ({ error }) => failures.failed(AWAY, error))
  emitter.on('clusters:watch', ({ isCurrent }) => {
    if (!isCurrent) return log.warn('Watch on Shoots interrupted: statuses may be old')
    failures.recovered(AWAY)
    log.info('Watch on Shoots is current')
  })
}
