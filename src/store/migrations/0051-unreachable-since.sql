-- An app no longer holds its cluster once the cluster has not answered for ten minutes. That it does not answer at this moment is
-- not enough: a hook that runs before an app is removed may take minutes, and must not lose its cluster to a short outage.

alter table caelus.deployment add column unreachable_since timestamptz;
update caelus.deployment set unreachable_since = now() where last_error ->> 'code' = 'ClusterUnreachable';

create function caelus.note_unreachable() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  new.unreachable_since = case
    when new.last_error ->> 'code' = 'ClusterUnreachable' then coalesce(old.unreachable_since, now()) end;
  return new;
end
$$;
create trigger unreachable_since before update of last_error on caelus.deployment
  for each row execute function caelus.note_unreachable();

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
      d.deleted_at is not null
      and coalesce(d.unreachable_since < now() - interval '10 minutes', false)
      and coalesce(c.deleted < now() - interval '10 minutes', false)));
end
$$;
