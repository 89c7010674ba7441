-- Clusters: what organizations ordered, what became of it, and its history.
--
-- People write clusters and node pools; workers write cluster_sync and cluster_events. Triggers connect them: every change
-- that is to reach Gardener bumps the generation and wakes the key, in the transaction of the change.

grant usage on schema tenant to caelus_worker;

create table tenant.clusters (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references tenant.organizations (id),
  name text collate "C" not null check (name ~ '^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$'),
  region text collate "C" not null check (region <> ''),
  -- As ordered: Gardener completes `1.34` to a patch version.
  kubernetes_version text collate "C" not null check (kubernetes_version ~ '^[0-9]+\.[0-9]+(\.[0-9]+)?$'),
  is_hibernated boolean not null default false,
  -- Null: Gardener's own.
  maintenance jsonb check (
    maintenance ?& array['begin', 'end', 'update_kubernetes', 'update_machine_image']),
  -- What a person asked Gardener to do once: {id, kind, requested_at}.
  operation jsonb check (operation ?& array['id', 'kind', 'requested_at']),
  created timestamptz not null default date_trunc('milliseconds', now()),
  -- Since when it is to go. What is left of it then is told by cluster_sync.
  deleted timestamptz,
  unique (id, organization_id)
);
create unique index clusters_name on tenant.clusters (organization_id, name) where deleted is null;
create index clusters_age on tenant.clusters (organization_id, created, id);

create table tenant.node_pools (
  id uuid primary key default gen_random_uuid(),
  cluster_id uuid not null,
  -- Of the cluster, for policies.
  organization_id uuid not null,
  -- Gardener allows 15 characters.
  name text collate "C" not null check (name ~ '^[a-z]([a-z0-9-]{0,13}[a-z0-9])?$'),
  machine_type text collate "C" not null check (machine_type <> ''),
  autoscale_min integer not null check (autoscale_min >= 0),
  autoscale_max integer not null check (autoscale_max between greatest(autoscale_min, 1) and 10000),
  created timestamptz not null default date_trunc('milliseconds', now()),
  unique (cluster_id, name),
  foreign key (cluster_id, organization_id) references tenant.clusters (id, organization_id)
);

create table tenant.cluster_sync (
  cluster_id uuid primary key,
  organization_id uuid not null,
  -- Of the cluster, for notices of changes.
  name text collate "C" not null,
  -- Bumped by the triggers below, once per transaction.
  generation bigint not null default 1 check (generation > 0),
  -- The transaction that bumped it last.
  requested_by xid8 not null default pg_current_xact_id(),
  synced_generation bigint not null default 0 check (synced_generation between 0 and generation),
  -- Null: the generation is not synced yet.
  synced timestamptz,
  sync_error text,
  sync_failure jsonb check (sync_failure ?& array['code', 'message', 'whoseMove', 'retryable', 'nextStep']),
  sync_attempts integer not null default 0 check (sync_attempts >= 0),
  sync_last_attempt timestamptz,
  shoot_status text not null default 'pending'
    check (shoot_status in ('pending', 'progressing', 'ready', 'error', 'deleting', 'deleted')),
  shoot_status_message text,
  shoot_status_failure jsonb
    check (shoot_status_failure ?& array['code', 'message', 'whoseMove', 'retryable', 'nextStep']),
  -- When what is said about the Shoot was last written; cluster_watch says until when it is known to hold.
  shoot_status_updated timestamptz not null default date_trunc('milliseconds', now()),
  -- Operation, progress, conditions and errors as Gardener reports them.
  shoot jsonb check (jsonb_typeof(shoot) = 'object'),
  shoot_retries integer not null default 0 check (shoot_retries >= 0),
  foreign key (cluster_id, organization_id) references tenant.clusters (id, organization_id) on delete cascade
);

create table tenant.cluster_events (
  id bigint generated always as identity primary key,
  cluster_id uuid not null,
  organization_id uuid not null,
  event_type text not null check (event_type in ('sync_requested', 'sync_claimed', 'sync_succeeded', 'sync_failed',
    'status_progressing', 'status_ready', 'status_error', 'status_deleting', 'status_deleted')),
  -- The id of a user, or the name of the worker.
  actor text not null,
  message text,
  attempt integer,
  created timestamptz not null default date_trunc('milliseconds', now()),
  foreign key (cluster_id, organization_id) references tenant.clusters (id, organization_id) on delete cascade
);
create index cluster_events_age on tenant.cluster_events (cluster_id, id);

-- Until when the workers' watch on Gardener was known to be current: one row per worker.
create table tenant.cluster_watch (
  instance text primary key,
  seen timestamptz not null default now()
);

-- What admins allow an organization. Null: no limit, or all that Gardener offers. No row: no limits.
create table tenant.organization_limits (
  organization_id uuid primary key references tenant.organizations (id) on delete cascade,
  max_clusters integer check (max_clusters >= 0),
  max_nodes integer check (max_nodes >= 0),
  regions text[] check (regions <> '{}'),
  machine_types text[] check (machine_types <> '{}'),
  generation bigint not null default 1 check (generation > 0)
);

-- Orders of an organization take turns until the transaction ends, so that two at once cannot exceed its limits, and none is
-- made while the organization is deleted. False: it is deleted, or the caller does not belong to it. Runs as its owner: by their
-- policy only owners may lock the row.
create function tenant.lock_orders(organization uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if caelus.acts_as_admin() or tenant.role_in(organization) is not null then
    perform from tenant.organizations where id = organization and deleted_at is null for no key update;
    return found;
  end if;
  return false;
end
$$;
revoke execute on function tenant.lock_orders from public;
grant execute on function tenant.lock_orders to caelus_api;

-- Who holds a cluster and until when: told by the queue. The id is a text, as in the index of jobs.
create view tenant.cluster_claims with (security_invoker = true) as
select
  id as cluster_id, locked_by as claimed_by, claimed_at, lease_until as claimed_until, fence, attempt,
  case when lease_until is not null then null when due_at = 'infinity' then null else due_at end as due_at,
  waiting_for, failure
from caelus.job where queue = 'clusters' and kind = 'Cluster';

-- The identity of a cluster never changes, and Gardener cannot move one to another region.
create function tenant.guard_cluster() returns trigger language plpgsql as $$
begin
  if (new.id, new.organization_id, new.region, new.created)
    is distinct from (old.id, old.organization_id, old.region, old.created) then
    raise exception 'id, organization, region and creation of cluster % never change', old.id
      using errcode = 'insufficient_privilege';
  end if;
  -- Gardener may be asked to try the deletion again.
  if old.deleted is not null and to_jsonb(new) - 'operation' <> to_jsonb(old) - 'operation' then
    raise exception 'cluster % is being deleted', old.id using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;
create trigger cluster_is_guarded before update on tenant.clusters
  for each row execute function tenant.guard_cluster();

-- Of one organization, deletions are claimed before other changes: the key changes places with the first of those in line. The
-- turns of the organization stay what they were, so that no other one waits longer.
create function tenant.put_deletion_first(the_cluster uuid, organization uuid) returns void
language sql security definer set search_path = pg_catalog, pg_temp
begin atomic
  with own as (
    select kind, id, turn from caelus.job
    where queue = 'clusters' and kind = 'Cluster' and id = the_cluster::text and turn is not null and lease_until is null
  ),
  first as (
    select j.kind, j.id, j.turn, own.turn as last from own
    join caelus.job j on j.queue = 'clusters' and j.tenant = organization::text and j.priority = 0
      and j.turn < own.turn and j.reason <> 'deleted' and j.lease_until is null
    order by j.turn limit 1
    for update of j skip locked
  )
  update caelus.job j set turn = case when j.id = first.id then first.last else first.turn end
  from first
  where j.queue = 'clusters' and j.kind = 'Cluster' and j.id in (first.id, the_cluster::text);
end;
revoke execute on function tenant.put_deletion_first from public;

-- A new generation, its event and its wake, once per transaction. Runs as its owner: callers may not write cluster_sync.
create function tenant.request_sync(the_cluster uuid, why text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  the_row tenant.clusters;
  reason caelus.wake_reason = 'changed';
begin
  select * into the_row from tenant.clusters where id = the_cluster;
  if not found then
    return;
  end if;
  if the_row.deleted is not null then
    reason = 'deleted';
  elsif the_row.created = date_trunc('milliseconds', now()) then
    reason = 'created';
  end if;
  -- First the job, then the state: workers lock in this order too, and would deadlock with the other.
  perform caelus.wake('clusters', 'Cluster', the_cluster::text, the_row.organization_id::text, reason);
  if reason = 'deleted' then
    perform tenant.put_deletion_first(the_cluster, the_row.organization_id);
  end if;
  perform pg_notify('cluster_sync', '');
  insert into tenant.cluster_sync as s (cluster_id, organization_id, name)
  values (the_cluster, the_row.organization_id, the_row.name)
  on conflict (cluster_id) do update set
    name = excluded.name, generation = s.generation + 1, requested_by = pg_current_xact_id(), synced = null,
    -- What failed before says nothing about the new generation.
    sync_error = null, sync_failure = null, sync_attempts = 0
    where s.requested_by <> pg_current_xact_id();
  if found then
    insert into tenant.cluster_events (cluster_id, organization_id, event_type, actor, message)
    values (the_cluster, the_row.organization_id, 'sync_requested',
      coalesce(caelus.current_user_id()::text, 'platform'), why);
  end if;
end
$$;
revoke execute on function tenant.request_sync from public;

create function tenant.cluster_changed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform tenant.request_sync(new.id, case
    when tg_op = 'INSERT' then 'ordered'
    when new.deleted is distinct from old.deleted then 'deletion asked for'
    when new.operation is distinct from old.operation then format('%s asked for', new.operation ->> 'kind')
    when new.is_hibernated is distinct from old.is_hibernated then
      case when new.is_hibernated then 'hibernation asked for' else 'waking up asked for' end
    else 'changed' end);
  return null;
end
$$;
create trigger cluster_is_new after insert on tenant.clusters
  for each row execute function tenant.cluster_changed();
create trigger cluster_is_changed after update on tenant.clusters
  for each row when (
    (old.name, old.kubernetes_version, old.is_hibernated, old.maintenance, old.operation, old.deleted)
    is distinct from (new.name, new.kubernetes_version, new.is_hibernated, new.maintenance, new.operation, new.deleted)
  )
  execute function tenant.cluster_changed();

create function tenant.node_pool_changed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'DELETE' then
    perform tenant.request_sync(old.cluster_id, format('node pool %s removed', old.name));
  else
    perform tenant.request_sync(new.cluster_id, format('node pool %s %s', new.name,
      case tg_op when 'INSERT' then 'added' else 'changed' end));
  end if;
  return null;
end
$$;
create trigger node_pool_is_new_or_gone after insert or delete on tenant.node_pools
  for each row execute function tenant.node_pool_changed();
create trigger node_pool_is_changed after update on tenant.node_pools
  for each row when (old is distinct from new) execute function tenant.node_pool_changed();

revoke execute on function tenant.guard_cluster, tenant.cluster_changed, tenant.node_pool_changed from public;

alter table tenant.clusters enable row level security;
create policy api_reads_own on tenant.clusters for select to caelus_api
  using ((select caelus.acts_as_admin()) or organization_id::text = any ((select caelus.current_tenants())::text[]));
create policy api_adds_own on tenant.clusters for insert to caelus_api
  with check ((select caelus.acts_as_admin()) or organization_id::text = any ((select caelus.changeable_tenants())::text[]));
create policy api_changes_own on tenant.clusters for update to caelus_api
  using ((select caelus.acts_as_admin()) or organization_id::text = any ((select caelus.changeable_tenants())::text[]));
create policy worker_reads on tenant.clusters for select to caelus_worker using (true);

alter table tenant.node_pools enable row level security;
create policy api_reads_own on tenant.node_pools for select to caelus_api
  using ((select caelus.acts_as_admin()) or organization_id::text = any ((select caelus.current_tenants())::text[]));
create policy api_changes_own on tenant.node_pools to caelus_api
  using ((select caelus.acts_as_admin()) or organization_id::text = any ((select caelus.changeable_tenants())::text[]));
create policy worker_reads on tenant.node_pools for select to caelus_worker using (true);

alter table tenant.cluster_sync enable row level security;
create policy api_reads_own on tenant.cluster_sync for select to caelus_api
  using ((select caelus.acts_as_admin()) or organization_id::text = any ((select caelus.current_tenants())::text[]));
create policy worker_reads on tenant.cluster_sync for select to caelus_worker using (true);
create policy worker_writes on tenant.cluster_sync for update to caelus_worker using (true);

alter table tenant.cluster_events enable row level security;
create policy api_reads_own on tenant.cluster_events for select to caelus_api
  using ((select caelus.acts_as_admin()) or organization_id::text = any ((select caelus.current_tenants())::text[]));
-- People ask for a sync without a change.
create policy api_asks on tenant.cluster_events for insert to caelus_api
  with check (
    event_type = 'sync_requested' and actor = coalesce((select caelus.current_user_id())::text, 'platform')
    and ((select caelus.acts_as_admin()) or organization_id::text = any ((select caelus.changeable_tenants())::text[]))
  );
create policy worker_adds on tenant.cluster_events for insert to caelus_worker with check (true);
create policy worker_prunes on tenant.cluster_events for delete to caelus_worker using (true);
create policy worker_sees_to_prune on tenant.cluster_events for select to caelus_worker using (true);

alter table tenant.cluster_watch enable row level security;
create policy api_reads on tenant.cluster_watch for select to caelus_api
  using (caelus.current_user_id() is not null or caelus.acts_as_admin());
create policy worker_writes on tenant.cluster_watch to caelus_worker using (true);

alter table tenant.organization_limits enable row level security;
create policy api_reads_own on tenant.organization_limits for select to caelus_api
  using ((select caelus.acts_as_admin()) or organization_id::text = any ((select caelus.current_tenants())::text[]));
create policy api_admin on tenant.organization_limits to caelus_api
  using ((select caelus.acts_as_admin())) with check ((select caelus.acts_as_admin()));

grant select, insert on tenant.clusters to caelus_api;
grant update (name, kubernetes_version, is_hibernated, maintenance, operation, deleted) on tenant.clusters to caelus_api;
grant select, insert, delete on tenant.node_pools to caelus_api;
grant update (machine_type, autoscale_min, autoscale_max) on tenant.node_pools to caelus_api;
grant select on tenant.cluster_sync, tenant.cluster_events, tenant.cluster_watch, tenant.cluster_claims to caelus_api;
grant insert (cluster_id, organization_id, event_type, actor, message) on tenant.cluster_events to caelus_api;
grant select, insert, update, delete on tenant.organization_limits to caelus_api;

-- The rest of a cluster is intent and belongs to people.
grant select on tenant.clusters, tenant.node_pools, tenant.cluster_sync to caelus_worker;
grant update (synced_generation, synced, sync_error, sync_failure, sync_attempts, sync_last_attempt, shoot_status,
  shoot_status_message, shoot_status_failure, shoot_status_updated, shoot, shoot_retries)
  on tenant.cluster_sync to caelus_worker;
grant insert on tenant.cluster_events to caelus_worker;
-- To delete old ones.
grant select (ctid, created), delete on tenant.cluster_events to caelus_worker;
grant select, insert, update, delete on tenant.cluster_watch to caelus_worker;

-- Live changes. A cluster and its state are one object to people, and every change of the one is a change of the other. Only
-- the state tells, so that a change and a worker lock what is unsent in the same order.
create trigger insert_notice after insert on tenant.cluster_sync
  for each row execute function caelus.notify_change(
    'clusters', 'Cluster', 'cluster_id', 'organization_id', 'name', 'shoot_status', 'sync_failure.code');
-- Not when it was only claimed.
create trigger update_notice after update on tenant.cluster_sync
  for each row when (
    (old.name, old.generation, old.synced_generation, old.synced, old.sync_failure, old.sync_attempts, old.shoot_status,
      old.shoot_status_message, old.shoot_status_failure, old.shoot)
    is distinct from (new.name, new.generation, new.synced_generation, new.synced, new.sync_failure, new.sync_attempts,
      new.shoot_status, new.shoot_status_message, new.shoot_status_failure, new.shoot)
  )
  execute function caelus.notify_change(
    'clusters', 'Cluster', 'cluster_id', 'organization_id', 'name', 'shoot_status', 'sync_failure.code');
