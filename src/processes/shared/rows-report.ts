import type { DomainName } from '../../api/contract/index.ts'
import type { StatusBoard } from '../../api/index.ts'
import { asUser, CHANGES, type Actor, type Listener, type Pool } from '../../store/index.ts'
import { domainReport, type DomainCounts, type DomainReport } from './domain-report.ts'

interface RowsReportOptions {
  readonly name: DomainName
  /** A statement that answers `DomainCounts`. Row level security decides what is counted. */
  readonly count: string
  readonly pool: Pool
  readonly notices: Pick<Listener, 'subscribe'>
  readonly board: StatusBoard
}

/** The report of a domain whose objects are rows. */
export function rowsReport({ name, count, pool, notices, board }: RowsReportOptions): DomainReport {
  const countAs = async (actor: Actor): Promise<DomainCounts> => {
    const [counts] = await asUser(pool, actor, (tx) => tx.query<DomainCounts>(count))
    if (counts === undefined) throw new Error(`failed to count ${name}: the database sent no row`)
    return counts
  }
  return domainReport({
    name,
    count: () => countAs({ admin: true }),
    countOf: (userId) => countAs({ userId, admin: false }),
    changes: (changed) => notices.subscribe(CHANGES, changed),
    board,
  })
}
