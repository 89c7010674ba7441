import { atEnd, type Service } from '../../kernel/index.ts'
import { keepDecisions, openPool } from '../../store/index.ts'
import type { ProcessHost } from '../domain.ts'

/**
 * Writes the decisions of all controllers of this process to the database. To be started before them, so that the decisions
 * of their last runs are written too. `url` has the login of workers.
 */
export function decisionServices({ decisions, onError }: ProcessHost, url: string): Service[] {
  const pool = openPool({ url, applicationName: 'caelus decisions', role: 'caelus_worker', max: 2 })
  return [
    atEnd('connections for decisions', () => pool.end()),
    keepDecisions({ pool, decisions, onError: (error) => onError(error, 'Decision not kept') }),
  ]
}
