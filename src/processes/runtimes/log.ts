import type { RuntimesControllerEvents } from '../../domains/runtimes/index.ts'
import { messageOf, type Emitter } from '../../kernel/index.ts'
import type { Logger } from '../../telemetry/index.ts'

/** Writes what the controller of class runtimes tells. What observing would have done is told here too. */
export function logRuntimes(told: Emitter<RuntimesControllerEvents>, log: Logger): void {
  told.on('runtimes:phase', ({ to, ...facts }) => {
    if (to === 'degraded') log.warn({ ...facts, to }, 'Runtime degraded')
    else log.info({ ...facts, to }, 'Runtime changed its phase')
  })
  told.on('runtimes:acted', ({ failure, ms, child, ...facts }) => {
    const about = { ...facts, ...(child && { child: `${child.kind}/${child.name}` }), ms: Math.round(ms) }
    if (failure === undefined) return log.debug(about, 'Acted on a runtime')
    log.warn({ ...about, code: failure.code, failure: failure.message }, 'Failed to act on a runtime')
  })
  told.on('runtimes:enforced', ({ failure, ms, ...facts }) => {
    const about = { ...facts, ms: Math.round(ms) }
    if (failure === undefined) return log.info(about, 'Recommendation put into effect')
    log.warn({ ...about, code: failure.code, failure: failure.message }, 'Failed to put a recommendation into effect')
  })
  told.on('runtimes:analyzed', ({ failures, ...facts }) => {
    log.debug(facts, 'Analyzed runtimes')
    for (const { code, message } of failures) log.warn({ code, failure: message }, 'Failed to analyze runtimes')
  })
  told.on('runtimes:noticed', (notice) => log.info(notice, 'Noticed'))
  told.on('runtimes:eventLost', ({ error }) => log.warn({ failure: messageOf(error) }, 'Event not written'))
  told.on('leader:elected', (facts) => log.info(facts, 'Leading'))
  told.on('leader:resigned', (facts) => log.info(facts, 'Leads no longer'))
  told.on('leader:lost', (facts) => log.warn(facts, 'Lost the lead'))
  told.on('leader:unreachable', ({ lease, error }) =>
    log.warn({ lease, failure: messageOf(error) }, 'Lease unreachable'),
  )
}
