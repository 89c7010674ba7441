-- Who may wake a key, whose it then is, and a backoff that the drift scan leaves alone.
--
-- - A caller may wake keys for the tenants that they may act for, whatever tenant a key has: a worker may have woken it
--   without one, and its owner must still be able to change the object. Row level security would compare the existing
--   row, so the function runs as its owner and checks the tenants that were asked for.
-- - Only a change by a user moves a key to another tenant. Others may take the tenant from a label that anyone edits.
-- - Drift does not make a key due that waits after a failed run: each scan would cut every backoff short.
create or replace function caelus.wake_all(
  of_queue text, kinds text[], ids text[], tenants text[], reasons caelus.wake_reason[], delays_ms float8[], hint boolean
) returns void language plpgsql security definer
  set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  -- The current user is the owner of the function. The caller is the role that the session has set, or its login.
  if (
    pg_has_role(coalesce(nullif(current_setting('role'), 'none'), session_user)::name, 'caelus_worker', 'member')
    or caelus.acts_as_admin() or tenants <@ caelus.changeable_tenants()
  ) is not true then
    raise insufficient_privilege using message = format('permission denied to wake keys of tenants %s', tenants);
  end if;
  with asked as (
    select *, caelus.priority_of(reason) as priority
    from unnest(kinds, ids, tenants, reasons, delays_ms)
      with ordinality as asked (kind, id, tenant, reason, after_ms, nth)
  ),
  placed as (
    select *,
      case when after_ms <= 0 then
        last_turn + row_number() over (partition by tenant, priority, after_ms <= 0 order by nth)
      end as turn
    from asked join (
      select tenant, priority, caelus.last_turn(of_queue, tenant, priority) as last_turn
      from asked group by tenant, priority
    ) last using (tenant, priority)
  )
  insert into caelus.job as job (queue, kind, id, tenant, reason, turn, due_at)
  select of_queue, kind, id, tenant, reason, turn, now() + after_ms * interval '1 ms'
  from placed order by kind, id
  on conflict (queue, kind, id) do update set
    tenant = case
      when job.tenant = '' or (excluded.priority = 0 and excluded.tenant <> '') then excluded.tenant
      else job.tenant end,
    reason = case
      when job.lease_until is not null then job.reason
      when job.due_at = 'infinity' then excluded.reason
      else greatest(job.reason, excluded.reason) end,
    turn = case
      when job.lease_until is not null then job.turn
      when job.turn is not null and excluded.priority >= job.priority then job.turn
      -- It stays out of line until its backoff has passed.
      when excluded.reason = 'drift' and job.attempt > 0 and job.due_at < 'infinity' then null
      -- The turn is one of a tenant that the key does not get. The next claim lines it up behind its own.
      when job.tenant not in ('', excluded.tenant) and (excluded.priority > 0 or excluded.tenant = '') then null
      when excluded.priority <= job.priority or job.due_at = 'infinity' then excluded.turn end,
    due_at = case
      when job.lease_until is not null then job.due_at
      when excluded.reason = 'drift' and job.attempt > 0 and job.due_at < 'infinity' then job.due_at
      else least(job.due_at, excluded.due_at) end,
    attempt = case when job.lease_until is null and excluded.priority = 0 then 0 else job.attempt end,
    lapses = case when job.lease_until is null and excluded.priority = 0 then 0 else job.lapses end,
    again_reason = case when job.lease_until is not null then greatest(job.again_reason, excluded.reason) end,
    again_at = case when job.lease_until is not null then least(job.again_at, excluded.due_at) end
  -- Only a key that was given up is parked with lapses.
  where not (job.due_at = 'infinity' and job.lapses > 0 and excluded.reason = 'childChanged');
  if hint then
    perform pg_notify('caelus_queue', of_queue);
  end if;
end
$$;

-- The function alone adds keys.
drop policy api_wakes_own on caelus.job;
revoke insert on caelus.job from caelus_api, caelus_worker;
