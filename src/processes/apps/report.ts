/** For the status board. */
export const COUNT_APPS = `
  select count(*)::int as objects,
    (count(*) filter (where status <> 'ready'))::int as "notReady",
    (count(*) filter (where status in ('error', 'stalled', 'degraded')))::int as failing
  from caelus.deployment where status <> 'deleted'`
