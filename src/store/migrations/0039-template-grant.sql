-- Cluster-scoped objects that releases of a template may have, as an admin has reviewed them. A grant is revoked, never deleted:
-- releases that have the object must be able to name it, and to remove it when they go.
create table caelus.template_grant (
  id uuid primary key default gen_random_uuid(),
  template_id uuid not null references caelus.product_template_version (id),
  api_group text not null,
  kind text not null,
  -- With {release} in the place of the name of the release.
  name text not null,
  -- The object with {release} in it, in every form that the chart gives it.
  objects_json jsonb not null check (jsonb_typeof(objects_json) = 'array'),
  granted_at timestamptz not null default date_trunc('milliseconds', now()),
  revoked_at timestamptz
);
create unique index template_grant_standing on caelus.template_grant (template_id, api_group, kind, name)
  where revoked_at is null;
create index template_grant_template on caelus.template_grant (template_id);

create trigger grant_never_changes before update on caelus.template_grant
  for each row execute function caelus.refuse_change_except('revoked_at');
create trigger change_notice after insert or update on caelus.template_grant
  for each row execute function caelus.notify_change('apps', 'Template', 'template_id', '');

alter table caelus.template_grant enable row level security;
create policy api_reads on caelus.template_grant for select to caelus_api
  using (caelus.current_user_id() is not null or caelus.acts_as_admin());
create policy api_admin on caelus.template_grant to caelus_api
  using ((select caelus.acts_as_admin())) with check ((select caelus.acts_as_admin()));
create policy worker_reads on caelus.template_grant for select to caelus_worker using (true);
grant select, insert, update on caelus.template_grant to caelus_api;
grant select on caelus.template_grant to caelus_worker;
