import { isId, type Runner } from '../../../store/index.ts'

/** For other domains, which let users choose a cluster. */
export const clusterDirectory = {
  /** A cluster that is not being deleted, of an organization in which the user is more than a viewer. */
  async usable(on: Runner, userId: string, clusterId: string): Promise<{ readonly name: string } | undefined> {
    if (!isId(clusterId)) return undefined
    const [row] = await on.query<{ name: string }>(
      `select c.name from tenant.clusters c
       join tenant.organizations o on o.id = c.organization_id and o.deleted_at is null
       join tenant.organization_members m on m.organization_id = c.organization_id
       where c.id = $1 and c.deleted is null and m.user_id = $2 and m.role in ('owner', 'member')`,
      [clusterId, userId],
    )
    return row
  },
}
