import { failureOf, keyText, type Emitter, type KernelEvents } from '../kernel/index.ts'
import type { Logger } from './log.ts'

/** Writes what the kernel tells. Waiting and settling are everyday; a failure names its code and whose move it is. */
export function logKernel(kernel: Emitter<KernelEvents>, log: Logger): () => void {
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
      log.warn({ controller, doing, failure: failureOf(error).message }, 'Queue unreachable'),
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
