import type { RuntimesEvents } from '../../domains/runtimes/index.ts'
import { messageOf, type Emitter } from '../../kernel/index.ts'
import type { Logger } from '../../telemetry/index.ts'

/**
 * Logs the events of the class runtime controller, and what enforcement in mode `observe` would have done.
 */
export function logRuntimes(emitter: Emitter<RuntimesEvents>, log: Logger): void {
  emitter.on('runtimes:phase', ({ to, ...facts }) => {
    if (to === 'degraded') log.warn({ ...facts, to }, 'Runtime degraded')
    else log.info({ ...facts, to }, 'Runtime changed its phase')
  })
  emitter.on('runtimes:acted', ({ failure, ms, child, ...facts }) => {
    const about = { ...facts, ...(child && { child: `${child.kind}/${child.name}` }), ms: Math.round(ms) }
    if (failure === undefined) return log.debug(about, 'Acted on a runtime')
    log.warn({ ...about, code: failure.code, failure: failure.message }, 'Failed to act on a runtime')
  })
  emitter.on('runtimes:enforced', ({ failure, ms, ...facts }) => {
    const about = { ...facts, ms: Math.round(ms) }
    if (failure === undefined) return log.info(about, 'Recommendation applied')
    log.warn({ ...about, code: failure.code, failure: failure.message }, 'Failed to apply a recommendation')
  })
  emitter.on('runtimes:analyzed', ({ failures, ...facts }) => {
    log.debug(facts, 'Analyzed runtimes')
    for (const { code, message } of failures) log.warn({ code, failure: message }, 'Failed to analyze runtimes')
  })
  emitter.on('runtimes:noticed', (notice) => log.info(notice, 'Runtime notice'))
  emitter.on('runtimes:eventLost', ({ error }) => log.warn({ failure: messageOf(error) }, 'Event not written'))
}
