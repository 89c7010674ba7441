-- What a user may order: how many deployments, and below which domains.

-- Instead of the limit of the configuration.
create table caelus.deployment_limit (
  user_id uuid primary key references caelus.user (id),
  most integer not null check (most >= 0)
);
alter table caelus.deployment_limit enable row level security;
create policy api_reads_own on caelus.deployment_limit for select to caelus_api
  using (user_id = (select caelus.current_user_id()));
create policy api_admin on caelus.deployment_limit to caelus_api
  using ((select caelus.acts_as_admin())) with check ((select caelus.acts_as_admin()));
grant select, insert, update, delete on caelus.deployment_limit to caelus_api;

-- Only this user may order the domain and those below it, except for those below a longer suffix of another row.
create table caelus.owned_domain (
  suffix text primary key check (suffix = lower(suffix) and suffix <> ''),
  user_id uuid not null references caelus.user (id),
  created_at timestamptz not null default date_trunc('milliseconds', now())
);
create index owned_domain_user on caelus.owned_domain (user_id);
alter table caelus.owned_domain enable row level security;
create policy api_reads_own on caelus.owned_domain for select to caelus_api
  using (user_id = (select caelus.current_user_id()));
create policy api_admin on caelus.owned_domain to caelus_api
  using ((select caelus.acts_as_admin())) with check ((select caelus.acts_as_admin()));
grant select, insert, delete on caelus.owned_domain to caelus_api;

-- Whether a domain belongs to the user (own), to another one (other) or to nobody (null). Does not say to whom.
create function caelus.domain_claim(the_domain text, the_user uuid) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select case when user_id = the_user then 'own' else 'other' end
  from caelus.owned_domain
  where the_domain = suffix or right(the_domain, length(suffix) + 1) = '.' || suffix
  order by length(suffix) desc limit 1;
end;
revoke execute on function caelus.domain_claim from public;
grant execute on function caelus.domain_claim to caelus_api;
