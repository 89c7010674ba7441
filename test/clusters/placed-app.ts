import { onServer } from '../support/postgres.ts'

export interface PlacedApp {
  readonly clusterId: string
  readonly userId: string
  readonly name: string
}

/** An app in a cluster, as rows alone: nothing converges it. Answers with its id. */
export const placeApp = (url: string, { clusterId, userId, name }: PlacedApp): Promise<string> =>
  onServer(url, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `with product as (insert into caelus.product (name) values ($3) returning id),
       template as (
         insert into caelus.product_template_version (product_id, chart_ref, chart_version, default_values_json)
         select id, 'oci://registry.example.org/hello', '1.0.0', '{}' from product returning id
       )
       insert into caelus.deployment
         (deployment_uid, namespace_name, release_name, user_id, domainname, desired_template_id, cluster_id)
       select $3, $3, $3, $2, $3 || '.example.org', id, $1 from template returning id`,
      [clusterId, userId, name],
    )
    return rows[0]?.id ?? ''
  })

export const sayStatus = (url: string, name: string, status: string): Promise<unknown> =>
  onServer(url, (client) =>
    client.query(
      `update caelus.deployment set status = $2, deleted_at = case when $2 like 'delet%' then now() end
       where deployment_uid = $1`,
      [name, status],
    ),
  )
