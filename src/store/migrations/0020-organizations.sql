-- Organizations: tenants that several users share. Members have a role; invitations make a user a member.

create schema tenant;
grant usage on schema tenant to caelus_api;

create table tenant.organizations (
  id uuid primary key default gen_random_uuid(),
  name text not null check (name <> ''),
  generation bigint not null default 1 check (generation > 0),
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  deleted_at timestamptz
);
create unique index organizations_name on tenant.organizations (lower(name)) where deleted_at is null;
create index organizations_age on tenant.organizations (created_at, id);

create table tenant.organization_members (
  organization_id uuid not null references tenant.organizations (id),
  user_id uuid not null references caelus.user (id),
  role text not null check (role in ('owner', 'member', 'viewer')),
  generation bigint not null default 1 check (generation > 0),
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  primary key (organization_id, user_id)
);
create index organization_members_user on tenant.organization_members (user_id);

create table tenant.organization_invitations (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references tenant.organizations (id),
  email text not null check (email <> ''),
  role text not null check (role in ('owner', 'member', 'viewer')),
  -- Of the token in the link; the token itself is not stored.
  sha256 bytea not null unique check (octet_length(sha256) = 32),
  invited_by uuid references caelus.user (id),
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  expires_at timestamptz not null,
  accepted_at timestamptz,
  accepted_by uuid references caelus.user (id),
  revoked_at timestamptz
);
create unique index organization_invitations_open on tenant.organization_invitations (organization_id, lower(email))
  where accepted_at is null and revoked_at is null;
create index organization_invitations_email on tenant.organization_invitations (lower(email))
  where accepted_at is null and revoked_at is null;
create index organization_invitations_age on tenant.organization_invitations (organization_id, created_at, id);

-- The functions below read members of organizations that policies hide from the caller, so they run as their owner.

-- The role of the caller in an organization; null: none.
create function tenant.role_in(organization uuid) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select role from tenant.organization_members
  where organization_id = organization and user_id = caelus.current_user_id();
end;

create or replace function caelus.current_tenants() returns text[]
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select array_append(
    array(
      select m.organization_id::text from tenant.organization_members m
      join tenant.organizations o on o.id = m.organization_id and o.deleted_at is null
      where m.user_id = caelus.current_user_id()
    ),
    caelus.current_user_id()::text);
end;

-- Members with their emails, for callers who belong to the organization and for admins.
create function tenant.members_of(organization uuid)
returns table (user_id uuid, email text, role text, generation bigint, created_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select m.user_id, u.email, m.role, m.generation, m.created_at
  from tenant.organization_members m join caelus.user u on u.id = m.user_id
  where m.organization_id = organization and (caelus.acts_as_admin() or tenant.role_in(organization) is not null);
end;

-- Creates an organization with the caller as its owner.
create function tenant.create_organization(the_id uuid, the_name text) returns void
language sql security definer set search_path = pg_catalog, pg_temp
begin atomic
  insert into tenant.organizations (id, name) values (the_id, the_name);
  insert into tenant.organization_members (organization_id, user_id, role)
  values (the_id, caelus.current_user_id(), 'owner');
end;

-- Makes a user a member by open invitations and answers their organizations. A member keeps a stronger role.
create function tenant.accept_invitations(invitations uuid[], the_user uuid) returns setof uuid
language sql security definer set search_path = pg_catalog, pg_temp
begin atomic
  with accepted as (
    update tenant.organization_invitations i set accepted_at = now(), accepted_by = the_user
    from tenant.organizations o
    where i.id = any (invitations) and o.id = i.organization_id and o.deleted_at is null
      and i.accepted_at is null and i.revoked_at is null and i.expires_at > now()
    returning i.id, i.organization_id, i.role
  ),
  joined as (
    insert into tenant.organization_members as m (organization_id, user_id, role)
    select distinct on (organization_id) organization_id, the_user, role from accepted
    order by organization_id, array_position(array['owner', 'member', 'viewer'], role)
    on conflict (organization_id, user_id) do update set role = excluded.role, generation = m.generation + 1
      where array_position(array['owner', 'member', 'viewer'], excluded.role)
        < array_position(array['owner', 'member', 'viewer'], m.role)
  ),
  noted as (
    insert into caelus.audit (actor, action, object_kind, object_id, tenant, detail)
    select the_user::text, 'joined', 'Organization', organization_id::text, organization_id::text,
      jsonb_build_object('user', the_user, 'role', role, 'invitation', id)
    from accepted
  )
  select organization_id from accepted;
end;

-- By the token of a link, for the caller. The login before may have accepted it, so whoever accepted it may repeat that
-- while they are a member. Answers no row otherwise.
create function tenant.accept_invitation(the_sha256 bytea) returns setof uuid
language sql security definer set search_path = pg_catalog, pg_temp
begin atomic
  select tenant.accept_invitations(
    array(select id from tenant.organization_invitations where sha256 = the_sha256), caelus.current_user_id())
  union all
  select i.organization_id from tenant.organization_invitations i
  join tenant.organizations o on o.id = i.organization_id and o.deleted_at is null
  where i.sha256 = the_sha256 and i.accepted_by = caelus.current_user_id()
    and tenant.role_in(i.organization_id) is not null;
end;

-- At a login, before there is a caller: all open invitations of the email. Almost always there are none.
create function tenant.accept_invitations_of(the_user uuid, the_email text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  invitations uuid[] = array(
    select id from tenant.organization_invitations
    where lower(email) = lower(the_email) and accepted_at is null and revoked_at is null and expires_at > now());
begin
  if invitations <> '{}' then
    perform tenant.accept_invitations(invitations, the_user);
  end if;
end
$$;

-- An organization that is not deleted has an owner. The lock makes two owners who remove each other take turns.
create function tenant.keep_an_owner() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from tenant.organizations where id = old.organization_id and deleted_at is null for update;
  if found and not exists (
    select from tenant.organization_members where organization_id = old.organization_id and role = 'owner'
  ) then
    raise exception 'organization % must have an owner', old.organization_id
      using errcode = 'check_violation', constraint = 'organization_has_owner';
  end if;
  return null;
end
$$;
create trigger organization_keeps_an_owner after update or delete on tenant.organization_members
  for each row when (old.role = 'owner') execute function tenant.keep_an_owner();

revoke execute on all functions in schema tenant from public;
revoke execute on function caelus.current_tenants from public;
grant execute on function caelus.current_tenants, tenant.role_in, tenant.members_of, tenant.create_organization,
  tenant.accept_invitation, tenant.accept_invitations_of to caelus_api;

alter table tenant.organizations enable row level security;
create policy api_reads_own on tenant.organizations for select to caelus_api
  using ((select caelus.acts_as_admin()) or tenant.role_in(id) is not null);
create policy api_owner on tenant.organizations for update to caelus_api
  using ((select caelus.acts_as_admin()) or tenant.role_in(id) = 'owner');

alter table tenant.organization_members enable row level security;
create policy api_reads_own on tenant.organization_members for select to caelus_api
  using ((select caelus.acts_as_admin()) or tenant.role_in(organization_id) is not null);
create policy api_owner on tenant.organization_members to caelus_api
  using ((select caelus.acts_as_admin()) or tenant.role_in(organization_id) = 'owner');
create policy api_leaves on tenant.organization_members for delete to caelus_api
  using (user_id = (select caelus.current_user_id()));

alter table tenant.organization_invitations enable row level security;
create policy api_owner on tenant.organization_invitations to caelus_api
  using ((select caelus.acts_as_admin()) or tenant.role_in(organization_id) = 'owner');

grant select, update on tenant.organizations to caelus_api;
grant select, insert, update, delete on tenant.organization_members to caelus_api;
grant select, insert, update on tenant.organization_invitations to caelus_api;
