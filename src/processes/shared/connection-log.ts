import type { Emitter } from '../../kernel/index.ts'
import type { ConnectionEvents } from '../../kube/index.ts'
import type { FailureLog, Logger } from '../../telemetry/index.ts'

const SILENT = 'Kubernetes API server does not answer'

/** Logs when the API server stops answering without closing its connections, and when it answers again. */
export function logConnections(
  emitter: Emitter<ConnectionEvents>,
  log: Pick<Logger, 'warn'>,
  failures: FailureLog,
): void {
  emitter.on('kube:silent', ({ request, ms }) => failures.failed(SILENT, `no answer to ${request}`, {}, { ms }))
  emitter.on('kube:answering', ({ ms, replaced }) => {
    if (replaced) log.warn({ ms }, 'Connections to the Kubernetes API server replaced: only new ones are answered')
    failures.recovered(SILENT)
  })
}
