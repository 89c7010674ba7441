/** For the status board. */
export const COUNT_CLUSTERS = `
  select count(*)::int as objects,
    (count(*) filter (where shoot_status <> 'ready'))::int as "notReady",
    (count(*) filter (where shoot_status = 'error'))::int as failing
  from tenant.cluster_sync where shoot_status <> 'deleted'`
