-- Rights that were wider than needed.

-- The tenants whose objects the caller may change: themselves, and organizations in which they are more than a viewer.
create function caelus.changeable_tenants() returns text[]
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select array_append(
    array(
      select m.organization_id::text from tenant.organization_members m
      join tenant.organizations o on o.id = m.organization_id and o.deleted_at is null
      where m.user_id = caelus.current_user_id() and m.role in ('owner', 'member')
    ),
    caelus.current_user_id()::text);
end;
revoke execute on function caelus.changeable_tenants from public;
grant execute on function caelus.changeable_tenants to caelus_api;

-- A viewer sees the keys of an organization and cannot wake or park them.
drop policy api_own on caelus.job;
create policy api_reads_own on caelus.job for select to caelus_api
  using ((select caelus.acts_as_admin()) or tenant = any ((select caelus.current_tenants())::text[]));
create policy api_wakes_own on caelus.job for insert to caelus_api
  with check ((select caelus.acts_as_admin()) or tenant = any ((select caelus.changeable_tenants())::text[]));
create policy api_changes_own on caelus.job for update to caelus_api
  using ((select caelus.acts_as_admin()) or tenant = any ((select caelus.changeable_tenants())::text[]));

-- Workers delete old responses and need not read them.
revoke select on caelus.idempotency_key from caelus_worker;
grant select (ctid, created_at) on caelus.idempotency_key to caelus_worker;
-- The API deletes them too, as the platform: an installation may have no other process with a database.
create policy api_prunes on caelus.idempotency_key for delete to caelus_api using ((select caelus.acts_as_admin()));
create policy api_sees_to_prune on caelus.idempotency_key for select to caelus_api
  using ((select caelus.acts_as_admin()));

-- By the token of a link, for the caller whose email was invited. The login before may have accepted it, so the caller may
-- repeat that while they are a member. Answers no row otherwise.
create or replace function tenant.accept_invitation(the_sha256 bytea) returns setof uuid
language sql security definer set search_path = pg_catalog, pg_temp
begin atomic
  select tenant.accept_invitations(
    array(
      select i.id from tenant.organization_invitations i
      join caelus.user u on u.id = caelus.current_user_id() and lower(u.email) = lower(i.email)
      where i.sha256 = the_sha256
    ),
    caelus.current_user_id())
  union all
  select i.organization_id from tenant.organization_invitations i
  join tenant.organizations o on o.id = i.organization_id and o.deleted_at is null
  where i.sha256 = the_sha256 and i.accepted_by = caelus.current_user_id()
    and tenant.role_in(i.organization_id) is not null;
end;
