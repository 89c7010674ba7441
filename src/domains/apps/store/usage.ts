import type { Runner } from '../../../store/index.ts'
import { APPS_QUEUE } from '../queue.ts'

const COUNT = `
  select asked.tenant::text as tenant,
    (select count(*)::int from caelus.deployment d where d.user_id = asked.tenant and d.status <> 'deleted') as objects,
    exists (select from caelus.frozen_tenant f where f.queue = '${APPS_QUEUE}' and f.tenant = asked.tenant::text) as frozen
  from unnest($1::uuid[]) as asked (tenant)`

interface UsageRow {
  readonly tenant: string
  readonly objects: number
  readonly frozen: boolean
}

/** What apps holds for users: shown beside them, and a reason not to delete one. */
export const appsUsage = {
  noun: 'deployments',
  async of(on: Runner, tenants: readonly string[]): Promise<ReadonlyMap<string, UsageRow>> {
    const rows = await on.query<UsageRow>(COUNT, [tenants])
    return new Map(rows.map((row) => [row.tenant, row]))
  },
}
