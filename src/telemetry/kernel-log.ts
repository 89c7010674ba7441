import { keyText, type Emitter, type KernelEvents } from '../kernel/index.ts'
import { failureLog, type FailureLog } from './failure-log.ts'
import type { Logger } from './log.ts'

/**
 * Logs the kernel's events. Settled and waiting runs are debug lines; a failure names its code and who must
 * act.
 */
export function logKernel(
  kernel: Emitter<KernelEvents>,
  log: Logger,
  failures: FailureLog = failureLog(log),
): () => void {
  const stop = [
    kernel.on('reconcile:start', ({ controller, key, attempt }) =>
      log.debug({ controller, key: keyText(key), attempt }, 'Reconciling'),
    ),
    kernel.on('reconcile:end', ({ controller, key, ms, outcome, because, failure }) => {
      const facts = { controller, key: keyText(key), ms: Math.round(ms), outcome }
      if (failure === undefined) return log.debug({ ...facts, because }, 'Reconciled')
      const { code, message, whoseMove, retryable } = failure
      log.warn({ ...facts, code, failure: message, whoseMove, retryable }, 'Reconcile failed')
    }),
    kernel.on('queue:unreachable', ({ controller, doing, error }) =>
      failures.failed('Queue unreachable', error, { controller, doing }),
    ),
    kernel.on('run:stuck', ({ controller, key, ms }) =>
      log.warn({ controller, key: keyText(key), ms }, 'Run ignores its abort signal: its lease is no longer renewed'),
    ),
    kernel.on('lease:lost', ({ controller, key, fence }) =>
      log.warn({ controller, key: keyText(key), fence }, 'Lease lost'),
    ),
  ]
  return () => stop.forEach((end) => end())
}
