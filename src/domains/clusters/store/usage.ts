import type { Runner } from '../../../store/index.ts'
import { CLUSTERS_QUEUE } from '../queue.ts'
import { FROM_CLUSTERS, IS_LEFT } from './columns.ts'

const COUNT = `
  select asked.tenant::text as tenant,
    (select count(*)::int ${FROM_CLUSTERS} where c.organization_id = asked.tenant and ${IS_LEFT}) as objects,
    exists (select from caelus.frozen_tenant f where f.queue = '${CLUSTERS_QUEUE}' and f.tenant = asked.tenant::text) as frozen
  from unnest($1::uuid[]) as asked (tenant)`

interface UsageRow {
  readonly tenant: string
  readonly objects: number
  readonly frozen: boolean
}

/** What clusters holds for organizations: shown beside them, and a reason not to delete one. */
export const clustersUsage = {
  noun: 'clusters',
  async of(on: Runner, tenants: readonly string[]): Promise<ReadonlyMap<string, UsageRow>> {
    const rows = await on.query<UsageRow>(COUNT, [tenants])
    return new Map(rows.map((row) => [row.tenant, row]))
  },
}
