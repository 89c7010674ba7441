-- Row level security on every table that has a tenant. docs/database.md lists all tables and the reason for each.
--
-- caelus_api sees the rows of the tenants that the caller acts for, and all rows for an admin. caelus_worker has the
-- policy `true`, which costs nothing: which statements it may run is decided by its grants.

-- The tenants that the caller acts for, as queues name them. Used as `= any ((select …))`, so that a statement calls
-- it once and can use an index.
create function caelus.current_tenants() returns text[] language sql stable
  return array[caelus.current_user_id()::text];

-- Whose object was changed or decided about. Null: an object of the platform, which only admins see.
alter table caelus.audit add column tenant text;
alter table caelus.decision add column tenant text;

update caelus.decision d set tenant = a.user_id::text
from caelus.deployment a where d.kind = 'Deployment' and d.key_id = a.id::text;

alter table caelus.audit disable trigger audit_only_grows;
update caelus.audit x set tenant = a.user_id::text
from caelus.deployment a where x.object_kind = 'Deployment' and x.object_id = a.id::text;
update caelus.audit set tenant = object_id where object_kind = 'User';
alter table caelus.audit enable trigger audit_only_grows;

alter table caelus.job enable row level security;
create policy api_own on caelus.job to caelus_api
  using ((select caelus.acts_as_admin()) or tenant = any ((select caelus.current_tenants())::text[]));
create policy worker_runs on caelus.job to caelus_worker using (true);

alter table caelus.job_history enable row level security;
create policy api_reads_own on caelus.job_history for select to caelus_api
  using ((select caelus.acts_as_admin()) or tenant = any ((select caelus.current_tenants())::text[]));
create policy worker_keeps on caelus.job_history to caelus_worker using (true);

alter table caelus.frozen_tenant enable row level security;
create policy api_reads_own on caelus.frozen_tenant for select to caelus_api
  using (tenant = any ((select caelus.current_tenants())::text[]));
create policy api_admin on caelus.frozen_tenant to caelus_api
  using ((select caelus.acts_as_admin())) with check ((select caelus.acts_as_admin()));
create policy worker_reads on caelus.frozen_tenant for select to caelus_worker using (true);

alter table caelus.audit enable row level security;
create policy api_reads_own on caelus.audit for select to caelus_api
  using (
    (select caelus.acts_as_admin()) or tenant = any ((select caelus.current_tenants())::text[])
    or actor = (select caelus.current_user_id()::text)
  );
-- A caller cannot write in the name of another.
create policy api_adds_own on caelus.audit for insert to caelus_api
  with check ((select caelus.acts_as_admin()) or actor = (select caelus.current_user_id()::text));

alter table caelus.decision enable row level security;
create policy api_reads_own on caelus.decision for select to caelus_api
  using ((select caelus.acts_as_admin()) or tenant = any ((select caelus.current_tenants())::text[]));
create policy worker_keeps on caelus.decision to caelus_worker using (true);

-- The policies above decide which jobs a caller sees, whatever the name of the current role.
create or replace view caelus.open_reconcile_job with (security_invoker = true) as
select
  number as id, id as deployment_id, caelus.job_reason(reason) as reason,
  case when due_at = 'infinity' then coalesce(ended_at, woken_at) else due_at end as run_after,
  attempt,
  case when lease_until is not null then 'running' when due_at = 'infinity' then 'failed' else 'queued' end as status,
  locked_by, claimed_at as locked_at, lease_until, fence, failure as last_error,
  woken_at as created_at, greatest(woken_at, claimed_at, ended_at) as updated_at
from caelus.job where queue = 'apps' and kind = 'Deployment';

create or replace view caelus.done_reconcile_job with (security_invoker = true) as
select
  number as id, id as deployment_id, caelus.job_reason(reason) as reason, woken_at as run_after, attempt, 'done' as status,
  worker as locked_by, claimed_at as locked_at, null::timestamptz as lease_until, fence, null::jsonb as last_error,
  woken_at as created_at, finished_at as updated_at
from caelus.job_history where queue = 'apps' and kind = 'Deployment';

drop function caelus.sees_all_jobs();

-- The API wakes, requeues and parks keys; only workers claim and finish them.
revoke delete on caelus.job from caelus_api;
revoke insert, update, delete on caelus.job_turn, caelus.job_history from caelus_api;
-- Workers do not change objects of people, so they have nothing to audit.
revoke select, insert on caelus.audit from caelus_worker;
-- Of users, workers need the email behind an id. The other columns are for workers of the version before.
revoke select on caelus.user from caelus_worker;
grant select (id, email, is_admin, created_at, deleted_at) on caelus.user to caelus_worker;
