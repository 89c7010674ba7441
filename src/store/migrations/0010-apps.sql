-- Apps: what can be ordered, in which versions, and what was ordered by whom.

create table caelus.product (
  id uuid primary key default gen_random_uuid(),
  name text not null check (name <> ''),
  description text,
  -- The canonical template; null: it cannot be ordered.
  template_id uuid,
  icon text,
  -- Cut to what a client sees of it, so that a time can be the mark where a list goes on.
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  deleted_at timestamptz
);
create unique index product_name on caelus.product (lower(name)) where deleted_at is null;

create table caelus.product_template_version (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references caelus.product (id),
  package_type text not null default 'helm-chart' check (package_type = 'helm-chart'),
  chart_ref text not null,
  chart_version text not null,
  chart_digest text check (chart_digest ~ '^sha256:[0-9a-f]{64}$'),
  version_label text,
  default_values_json jsonb not null check (jsonb_typeof(default_values_json) = 'object'),
  -- Not jsonb: the order of its properties is the order of the fields that a tenant sees.
  values_schema_json json check (json_typeof(values_schema_json) = 'object'),
  capabilities_json jsonb not null default '{}' check (jsonb_typeof(capabilities_json) = 'object'),
  health_timeout_sec integer not null default 600 check (health_timeout_sec > 0),
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  deleted_at timestamptz,
  unique (product_id, id)
);
create index product_template_version_age on caelus.product_template_version (product_id, created_at, id);
create unique index product_template_version_label on caelus.product_template_version (product_id, lower(version_label))
  where deleted_at is null;

-- Its own product's, and no other's.
alter table caelus.product
  add foreign key (id, template_id) references caelus.product_template_version (product_id, id);

create table caelus.deployment (
  id uuid primary key default gen_random_uuid(),
  -- At most 53 characters: what Helm allows for a release.
  deployment_uid text collate "C" not null unique check (deployment_uid ~ '^[a-z0-9]([a-z0-9-]{0,51}[a-z0-9])?$'),
  namespace_name text collate "C" not null check (namespace_name = deployment_uid),
  release_name text collate "C" not null check (release_name = deployment_uid),
  user_id uuid not null references caelus.user (id),
  domainname text collate "C" not null check (domainname = lower(domainname) and domainname <> ''),
  user_values_json jsonb not null default '{}' check (jsonb_typeof(user_values_json) = 'object'),
  -- The write-only part of the user's values: an envelope for each pointer.
  sealed_values jsonb not null default '{}' check (jsonb_typeof(sealed_values) = 'object'),
  desired_template_id uuid not null references caelus.product_template_version (id),
  applied_template_id uuid references caelus.product_template_version (id),
  status text not null default 'pending'
    check (status in ('pending', 'provisioning', 'ready', 'upgrading', 'deleting', 'deleted', 'error')),
  status_since timestamptz not null default date_trunc('milliseconds', now()),
  -- Bumped by every change of intent; the other follows when the world was seen to match.
  generation bigint not null default 1 check (generation > 0),
  observed_generation bigint not null default 0 check (observed_generation between 0 and generation),
  last_error jsonb check (last_error ?& array['code', 'message', 'whoseMove', 'retryable', 'nextStep']),
  last_reconcile_at timestamptz,
  next_reconcile_at timestamptz,
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  -- Since when it is to go. What is left of it then is told by the status.
  deleted_at timestamptz,
  check (status <> 'deleted' or deleted_at is not null)
);
create unique index deployment_domain on caelus.deployment (domainname) where status <> 'deleted';
create index deployment_age on caelus.deployment (created_at, id);
create index deployment_user on caelus.deployment (user_id, created_at, id);
create index deployment_template on caelus.deployment (desired_template_id) where status <> 'deleted';

-- Refuses to change a row but for the columns named by the trigger.
create function caelus.refuse_change_except() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - tg_argv <> to_jsonb(old) - tg_argv then
    raise exception 'a row of %.% never changes but for %', tg_table_schema, tg_table_name, array_to_string(tg_argv, ', ')
      using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;
create trigger template_never_changes before update on caelus.product_template_version
  for each row execute function caelus.refuse_change_except('deleted_at');

create function caelus.guard_deployment() returns trigger language plpgsql as $$
begin
  if (new.id, new.deployment_uid, new.namespace_name, new.release_name, new.user_id, new.created_at)
    is distinct from (old.id, old.deployment_uid, old.namespace_name, old.release_name, old.user_id, old.created_at) then
    raise exception 'the identity of deployment % never changes', old.id using errcode = 'insufficient_privilege';
  end if;
  if old.deleted_at is not null and new.deleted_at is distinct from old.deleted_at then
    raise exception 'the deletion of deployment % cannot be taken back', old.id using errcode = 'insufficient_privilege';
  end if;
  if new.generation < old.generation then
    raise exception 'the generation of deployment % only grows', old.id using errcode = 'insufficient_privilege';
  end if;
  if new.status <> old.status then
    new.status_since = date_trunc('milliseconds', now());
  end if;
  return new;
end
$$;
create trigger deployment_is_guarded before update on caelus.deployment
  for each row execute function caelus.guard_deployment();

-- Whether a domain is in use, for callers who may not see by whom.
create function caelus.domain_is_taken(the_domain text, but_by uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select exists (
    select from caelus.deployment where domainname = the_domain and status <> 'deleted' and id is distinct from but_by
  );
end;
revoke execute on function caelus.domain_is_taken from public;
grant execute on function caelus.domain_is_taken to caelus_api;

alter table caelus.product enable row level security;
create policy api_reads on caelus.product for select to caelus_api
  using (caelus.current_user_id() is not null or caelus.acts_as_admin());
create policy api_admin on caelus.product to caelus_api using (caelus.acts_as_admin()) with check (caelus.acts_as_admin());
create policy worker_reads on caelus.product for select to caelus_worker using (true);

alter table caelus.product_template_version enable row level security;
create policy api_reads on caelus.product_template_version for select to caelus_api
  using (caelus.current_user_id() is not null or caelus.acts_as_admin());
create policy api_admin on caelus.product_template_version to caelus_api
  using (caelus.acts_as_admin()) with check (caelus.acts_as_admin());
create policy worker_reads on caelus.product_template_version for select to caelus_worker using (true);

alter table caelus.deployment enable row level security;
create policy api_own on caelus.deployment to caelus_api
  using (user_id = caelus.current_user_id() or caelus.acts_as_admin())
  with check (user_id = caelus.current_user_id() or caelus.acts_as_admin());
create policy worker_reads on caelus.deployment for select to caelus_worker using (true);
create policy worker_writes on caelus.deployment for update to caelus_worker using (true);

grant select, insert, update on caelus.product, caelus.product_template_version, caelus.deployment to caelus_api;
grant select on caelus.product, caelus.product_template_version, caelus.deployment to caelus_worker;
-- The rest of a deployment is intent and belongs to people.
grant update (status, applied_template_id, observed_generation, last_error, last_reconcile_at, next_reconcile_at)
  on caelus.deployment to caelus_worker;
