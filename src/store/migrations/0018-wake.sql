-- Wakes keys. Workers and triggers use the same two functions, so that a change and its wake can commit together.
--
-- - A new key lines up behind the last of its tenant, or behind the turn served last if its tenant has none in line:
--   so tenants alternate, however many keys one has, and a tenant that always comes back cannot overtake another.
-- - A key in line keeps its place, unless the new reason moves it into a better class.
-- - A key that runs only takes a note (again_*); the finish of the run puts it in line.
-- - A key that becomes due in a class for which no turn was computed here stays out of line with a due time in the past:
--   the next claim lines it up.
--
-- A key must not occur twice in one call. Rows are written in the order of their keys, so that two calls cannot deadlock.
-- The settings keep the plan on the indexes, also if it was made while the table was empty.
create function caelus.wake_all(
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
    again_at = case when job.lease_until is not null then least(job.again_at, excluded.due_at) end;
  if hint then
    perform pg_notify('caelus_queue', of_queue);
  end if;
end
$$;

-- One key, for triggers. PostgreSQL sends one hint per transaction, however many keys it wakes.
create function caelus.wake(
  queue text, kind text, id text, tenant text, reason caelus.wake_reason, after_ms float8 default 0
) returns void language sql
  begin atomic
    select caelus.wake_all(
      queue, array[kind], array[id], array[coalesce(tenant, '')], array[reason], array[after_ms], true);
  end;

revoke execute on function caelus.wake_all, caelus.wake from public;
grant execute on function caelus.wake_all, caelus.wake to caelus_api, caelus_worker;
