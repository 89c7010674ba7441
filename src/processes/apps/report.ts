import type { StatusBoard } from '../../api/index.ts'
import { asUser, CHANGES, type Listener, type Pool } from '../../store/index.ts'
import { domainReport, type DomainCounts, type DomainReport } from '../shared/domain-report.ts'

const COUNT = `
  select count(*)::int as objects,
    (count(*) filter (where status <> 'ready'))::int as "notReady",
    (count(*) filter (where status in ('error', 'stalled', 'degraded')))::int as failing
  from caelus.deployment where status <> 'deleted'`

export const appsReport = (pool: Pool, notices: Pick<Listener, 'subscribe'>, board: StatusBoard): DomainReport =>
  domainReport({
    name: 'apps',
    async count() {
      const [counts] = await asUser(pool, { admin: true }, (tx) => tx.query<DomainCounts>(COUNT))
      if (counts === undefined) throw new Error('failed to count deployments: the database sent no row')
      return counts
    },
    changes: (changed) => notices.subscribe(CHANGES, changed),
    board,
  })
