-- A key that was given up, because its runs never ended, ignores changes of its children: each would run it again and
-- could kill another worker. A user, a retry and the drift scan still wake it.
create or replace function caelus.wake_all(
  of_queue text, kinds text[], ids text[], tenants text[], reasons caelus.wake_reason[], delays_ms float8[], hint boolean
) returns void language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $$
begin
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
    tenant = coalesce(nullif(excluded.tenant, ''), job.tenant),
    reason = case
      when job.lease_until is not null then job.reason
      when job.due_at = 'infinity' then excluded.reason
      else greatest(job.reason, excluded.reason) end,
    turn = case
      when job.lease_until is not null then job.turn
      when job.turn is not null and excluded.priority >= job.priority then job.turn
      when excluded.priority <= job.priority or job.due_at = 'infinity' then excluded.turn end,
    due_at = case when job.lease_until is not null then job.due_at else least(job.due_at, excluded.due_at) end,
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
