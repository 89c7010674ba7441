import type { StatusBoard } from '../../api/index.ts'
import { asUser, CHANGES, type Actor, type Listener, type Pool } from '../../store/index.ts'
import { domainReport, type DomainCounts, type DomainReport } from '../shared/domain-report.ts'

const COUNT = `
  select count(*)::int as objects,
    (count(*) filter (where shoot_status <> 'ready'))::int as "notReady",
    (count(*) filter (where shoot_status = 'error'))::int as failing
  from tenant.cluster_sync where shoot_status <> 'deleted'`

export const clustersReport = (pool: Pool, notices: Pick<Listener, 'subscribe'>, board: StatusBoard): DomainReport =>
  domainReport({
    name: 'clusters',
    count: () => countAs(pool, { admin: true }),
    countOf: (userId) => countAs(pool, { userId, admin: false }),
    changes: (changed) => notices.subscribe(CHANGES, changed),
    board,
  })

/** Row level security decides what is counted. */
async function countAs(pool: Pool, actor: Actor): Promise<DomainCounts> {
  const [counts] = await asUser(pool, actor, (tx) => tx.query<DomainCounts>(COUNT))
  if (counts === undefined) throw new Error('failed to count clusters: the database sent no row')
  return counts
}
