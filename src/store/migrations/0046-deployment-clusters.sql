-- A deployment may converge into a cluster of an organization that its user belongs to. Null: the platform's own control plane.

alter table caelus.deployment add column cluster_id uuid references tenant.clusters (id);
create index deployment_cluster on caelus.deployment (cluster_id, id) where cluster_id is not null and status <> 'deleted';

-- The cluster must be there, and the user more than a viewer of its organization. The lock makes an order and the deletion of
-- the cluster take turns: whoever comes second sees what the first has done.
create function caelus.guard_deployment_cluster() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from tenant.clusters c
    join tenant.organizations o on o.id = c.organization_id and o.deleted_at is null
    join tenant.organization_members m on m.organization_id = c.organization_id
    where c.id = new.cluster_id and c.deleted is null and m.user_id = new.user_id and m.role in ('owner', 'member')
    for share of c;
  if not found then
    raise exception 'user % has no cluster %', new.user_id, new.cluster_id
      using errcode = 'check_violation', constraint = 'deployment_has_cluster';
  end if;
  return new;
end
$$;
create trigger deployment_has_cluster before insert on caelus.deployment
  for each row when (new.cluster_id is not null) execute function caelus.guard_deployment_cluster();

create function caelus.guard_deployment_place() returns trigger language plpgsql as $$
begin
  raise exception 'the cluster of deployment % never changes', old.id using errcode = 'insufficient_privilege';
end
$$;
create trigger deployment_stays_in_place before update of cluster_id on caelus.deployment
  for each row when (new.cluster_id is distinct from old.cluster_id) execute function caelus.guard_deployment_place();

-- How many deployments have to go before the cluster does. Those that cannot be removed because the cluster does not answer
-- hold it for ten minutes; then they go with it.
create function tenant.cluster_apps_left(the_cluster uuid) returns integer
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select count(*)::integer from caelus.deployment d join tenant.clusters c on c.id = d.cluster_id
  where c.id = the_cluster and d.status <> 'deleted' and not (
    d.deleted_at is not null and d.last_error ->> 'code' = 'ClusterUnreachable'
    and coalesce(c.deleted < now() - interval '10 minutes', false));
end;

-- The last one has gone: the cluster need not wait any longer.
create function caelus.deployment_left_cluster() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform caelus.wake('clusters', 'Cluster', c.id::text, c.organization_id::text, 'childChanged')
    from tenant.clusters c where c.id = new.cluster_id and c.deleted is not null;
  return null;
end
$$;
create trigger deployment_left_cluster after update of status on caelus.deployment
  for each row when (new.cluster_id is not null and new.status = 'deleted' and old.status <> 'deleted')
  execute function caelus.deployment_left_cluster();

revoke execute on function caelus.guard_deployment_cluster, caelus.guard_deployment_place, caelus.deployment_left_cluster,
  tenant.cluster_apps_left from public;
grant execute on function tenant.cluster_apps_left to caelus_api, caelus_worker;
