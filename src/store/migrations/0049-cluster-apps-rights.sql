-- How many apps are left in a cluster is told to workers, to admins, and to those who may see the cluster. Others are refused
-- rather than told 0: who takes a 0 for an answer removes the cluster.
create or replace function tenant.cluster_apps_left(the_cluster uuid) returns integer
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- The current user is the owner of the function. The caller is the role that the session has set, or its login.
  if (
    pg_has_role(coalesce(nullif(current_setting('role'), 'none'), session_user)::name, 'caelus_worker', 'member')
    or caelus.acts_as_admin()
    or exists (
      select from tenant.clusters c where c.id = the_cluster and c.organization_id::text = any (caelus.current_tenants()))
  ) is not true then
    raise insufficient_privilege using message = format('permission denied to count the apps of cluster %s', the_cluster);
  end if;
  return (
    select count(*) from caelus.deployment d join tenant.clusters c on c.id = d.cluster_id
    where c.id = the_cluster and d.status <> 'deleted' and not (
      d.deleted_at is not null and d.last_error ->> 'code' = 'ClusterUnreachable'
      and coalesce(c.deleted < now() - interval '10 minutes', false)));
end
$$;
