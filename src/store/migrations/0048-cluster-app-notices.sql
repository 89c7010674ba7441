-- The page of a cluster shows the apps in it, whoever of the organization they belong to. So a change of the status of one is
-- also a change that the members of the organization are told: the name and that it changed, no more.
--
-- The notice is left for API processes to send, and is one per app. A notice of the cluster would be locked by all of its
-- apps until their transactions end, and a deletion of all of them would deadlock with a worker that changes one.
create function caelus.notify_cluster_app() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into caelus.unsent_change
  select object, object || jsonb_build_object('operation', lower(tg_op), 'columns', jsonb_build_object('status', new.status))
  from tenant.clusters c, jsonb_build_object(
    'topic', 'clusters', 'kind', 'ClusterApp', 'id', new.deployment_uid, 'tenant', c.organization_id::text) object
  where c.id = new.cluster_id
  on conflict (object) do update set notice = excluded.notice;
  return null;
end
$$;
revoke execute on function caelus.notify_cluster_app from public;
create trigger cluster_insert_notice after insert on caelus.deployment
  for each row when (new.cluster_id is not null) execute function caelus.notify_cluster_app();
create trigger cluster_update_notice after update of status on caelus.deployment
  for each row when (new.cluster_id is not null and new.status is distinct from old.status)
  execute function caelus.notify_cluster_app();
