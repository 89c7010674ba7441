-- The jobs of apps as people know them, over the queue that serves all domains.

alter table caelus.job
  -- Names this stay of the key in the queue, from its first wake until it has settled. No index: claims are many, and
  -- those who ask for a number few.
  add column number bigint not null generated always as identity,
  -- When its last run ended; null before the first.
  add column ended_at timestamptz;

alter table caelus.job_history
  add column number bigint not null default nextval(pg_get_serial_sequence('caelus.job', 'number'));
alter table caelus.job_history
  alter column number drop default,
  -- As in the queue, so that both are searched alike.
  alter column queue type text collate "C",
  alter column kind type text collate "C",
  alter column id type text collate "C";
create index job_history_number on caelus.job_history (number);

create function caelus.job_reason(reason caelus.wake_reason) returns text language sql immutable
  return case reason
    when 'created' then 'create' when 'changed' then 'update' when 'deleted' then 'delete' when 'retry' then 'retry'
    else 'drift' end;

-- A caller sees the jobs that are done for them, as with deployments. Their tenant tells, and costs no join.
create function caelus.sees_all_jobs() returns boolean language sql stable
  return current_user <> 'caelus_api' or caelus.acts_as_admin();

create view caelus.open_reconcile_job with (security_invoker = true) as
select
  number as id, id as deployment_id, caelus.job_reason(reason) as reason,
  -- Given up: there is no time at which it runs.
  case when due_at = 'infinity' then coalesce(ended_at, woken_at) else due_at end as run_after,
  attempt,
  case when lease_until is not null then 'running' when due_at = 'infinity' then 'failed' else 'queued' end as status,
  locked_by, claimed_at as locked_at, lease_until, fence, failure as last_error,
  woken_at as created_at, greatest(woken_at, claimed_at, ended_at) as updated_at
from caelus.job
where queue = 'apps' and kind = 'Deployment'
  and ((select caelus.sees_all_jobs()) or tenant = (select caelus.current_user_id()::text));

create view caelus.done_reconcile_job with (security_invoker = true) as
select
  number as id, id as deployment_id, caelus.job_reason(reason) as reason, woken_at as run_after, attempt, 'done' as status,
  worker as locked_by, claimed_at as locked_at, null::timestamptz as lease_until, fence, null::jsonb as last_error,
  woken_at as created_at, finished_at as updated_at
from caelus.job_history
where queue = 'apps' and kind = 'Deployment'
  and ((select caelus.sees_all_jobs()) or tenant = (select caelus.current_user_id()::text));

create view caelus.deployment_reconcile_job with (security_invoker = true) as
select * from caelus.open_reconcile_job union all select * from caelus.done_reconcile_job;

grant select on caelus.open_reconcile_job, caelus.done_reconcile_job, caelus.deployment_reconcile_job
  to caelus_api, caelus_worker;
