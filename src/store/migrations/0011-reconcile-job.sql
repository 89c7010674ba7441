-- The jobs of apps as people know them, over the queue that serves all domains.

alter table caelus.job
  -- Names this stay of the key in the queue, from its first wake until it has settled. No index: claims are many, and
  -- those who ask for a number few.
  add column number bigint not null generated always as identity,
  -- When its last run ended; null before the first.
  add column ended_at timestamptz;

alter table caelus.job_history
  add column number bigint not null default nextval(pg_get_serial_sequence('caelus.job', 'number'));
alter table caelus.job_history alter column number drop default;
-- Numbers grow with the table, so that a few bytes are index enough.
create index job_history_number on caelus.job_history using brin (number);

create view caelus.deployment_reconcile_job with (security_invoker = true) as
with job as (
  select number, id, reason, attempt, fence, locked_by, claimed_at, lease_until, failure,
    -- Given up: there is no time at which it runs.
    case when due_at = 'infinity' then coalesce(ended_at, woken_at) else due_at end as run_after,
    case when lease_until is not null then 'running' when due_at = 'infinity' then 'failed' else 'queued' end as status,
    woken_at, greatest(woken_at, claimed_at, ended_at) as updated_at
  from caelus.job where queue = 'apps' and kind = 'Deployment'
  union all
  select number, id, reason, attempt, fence, worker, claimed_at, null, null,
    woken_at, 'done', woken_at, finished_at
  from caelus.job_history where queue = 'apps' and kind = 'Deployment'
)
select
  job.number as id,
  deployment.id as deployment_id,
  case job.reason
    when 'created' then 'create' when 'changed' then 'update' when 'deleted' then 'delete' when 'retry' then 'retry'
    else 'drift' end as reason,
  job.run_after, job.attempt, job.status, job.locked_by, job.claimed_at as locked_at, job.lease_until, job.fence,
  job.failure as last_error, job.woken_at as created_at, job.updated_at
-- Also keeps from callers what row level security keeps of the deployments.
from caelus.deployment join job on job.id = deployment.id::text;

grant select on caelus.deployment_reconcile_job to caelus_api, caelus_worker;
