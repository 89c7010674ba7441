-- Every kubeconfig that Caelus itself asks Gardener for is in the audit, before it is asked for.

-- The one audit row that a worker may write. Its actor cannot be taken for a person, and its tenant is that of the cluster.
create function tenant.note_cluster_access(the_cluster uuid, instance text, seconds integer) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if coalesce(instance = '' or length(instance) > 300 or instance ~ '[[:cntrl:]]', true)
    or coalesce(seconds not between 1 and 86400, true) then
    raise exception 'access by % for % seconds cannot be recorded', instance, seconds
      using errcode = 'invalid_parameter_value';
  end if;
  insert into caelus.audit (actor, action, object_kind, object_id, tenant, detail)
  select 'apps worker ' || instance, 'kubeconfig for apps', 'Cluster', c.id::text, c.organization_id::text,
    jsonb_build_object('seconds', seconds)
  from tenant.clusters c where c.id = the_cluster;
  if not found then
    raise exception 'there is no cluster %', the_cluster using errcode = 'no_data_found';
  end if;
end
$$;
revoke execute on function tenant.note_cluster_access from public;
grant execute on function tenant.note_cluster_access to caelus_worker;
