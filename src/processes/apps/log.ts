import type { AppsEvents } from '../../domains/apps/index.ts'
import type { Emitter } from '../../kernel/index.ts'
import type { FailureLog, Logger } from '../../telemetry/index.ts'

/** Logs the events of the apps worker. `apps:looked` has a metric only: it happens at every run. */
export function logApps(
  emitter: Emitter<AppsEvents>,
  log: Pick<Logger, 'debug' | 'info' | 'warn'>,
  failures: FailureLog,
): void {
  emitter.on('apps:step', ({ deployment, step, ms, failure }) => {
    const facts = { deployment, step, ms: Math.round(ms) }
    if (failure === undefined) return log.debug(facts, 'Step done')
    log.warn({ ...facts, code: failure.code, failure: failure.message, whoseMove: failure.whoseMove }, 'Step failed')
  })
  emitter.on('apps:unfenced', ({ error }) => failures.failed('Fence policy not installed', error))
  emitter.on('apps:orphansKept', ({ error }) => failures.failed('Namespaces of deleted deployments not removed', error))
  emitter.on('apps:rightsMissing', ({ error }) => failures.failed('Rights in namespaces not granted', error))
  emitter.on('apps:cluster', ({ cluster, failure }) =>
    failure === undefined
      ? log.info({ cluster }, 'Cluster can be used')
      : log.warn({ cluster, code: failure.code, failure: failure.message }, 'Cluster cannot be used'),
  )
  emitter.on('apps:clustersUnknown', ({ error }) => failures.failed('Clusters in use not listed', error))
  emitter.on('apps:touched', (facts) => log.info(facts, 'Object changed by another writer'))
  emitter.on('apps:scanned', ({ deployments, ms }) => log.debug({ deployments, ms: Math.round(ms) }, 'Drift scan done'))
}
