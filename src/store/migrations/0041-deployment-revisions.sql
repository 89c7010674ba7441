-- What each generation of a deployment asked for, so that people see what changed and can go back to it.

-- Helm's revision of the generation that was last seen ready.
alter table caelus.deployment add column helm_revision bigint check (helm_revision > 0);
grant update (helm_revision) on caelus.deployment to caelus_worker;

create table caelus.deployment_revision (
  deployment_id uuid not null references caelus.deployment (id) on delete cascade,
  generation bigint not null check (generation > 0),
  template_id uuid not null references caelus.product_template_version (id),
  domainname text not null,
  user_values_json jsonb not null check (jsonb_typeof(user_values_json) = 'object'),
  -- Envelopes open for their deployment and field, so they are kept as they are.
  sealed_values jsonb not null check (jsonb_typeof(sealed_values) = 'object'),
  -- As in the audit: a user's id, or the name of what acted without one.
  changed_by text not null,
  -- The generation whose content this one has again.
  rolled_back_to bigint,
  -- What became of it. Null: it is the present one, and its deployment tells.
  outcome text check (outcome in ('ready', 'failed', 'rolled_back', 'superseded')),
  failure_code text,
  helm_revision bigint,
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  primary key (deployment_id, generation)
);

-- What became of the present generation of a deployment.
create function caelus.generation_outcome(d caelus.deployment) returns text language sql immutable
begin atomic
  select case
    when d.observed_generation = d.generation then 'ready'
    when d.status_generation <> d.generation then 'pending'
    -- A rollout of an earlier generation says nothing about this one.
    when (d.rollout_json ->> 'rollbacks')::int > 0
      and d.rollout_json #>> '{failure,code}' = d.last_error ->> 'code' then 'rolled_back'
    when d.status in ('error', 'stalled') then 'failed'
    else 'pending' end;
end;
create function caelus.generation_failure(d caelus.deployment) returns text language sql immutable
begin atomic
  select case when d.observed_generation <> d.generation and d.status_generation = d.generation
    then d.last_error ->> 'code' end;
end;
create function caelus.generation_helm_revision(d caelus.deployment) returns bigint language sql immutable
begin atomic
  select case
    when d.observed_generation = d.generation then d.helm_revision
    when d.status_generation = d.generation and d.rollout_json #>> '{failure,code}' = d.last_error ->> 'code'
      then (d.rollout_json ->> 'failedRevision')::bigint end;
end;

-- Triggers, so that nobody can change an intent without leaving a trace, also not a process of the version before. As the
-- owner: of a revision nobody else writes more than that it went back, and envelopes under another key.
create function caelus.keep_revision() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'UPDATE' then
    update caelus.deployment_revision set
      outcome = replace(caelus.generation_outcome(old), 'pending', 'superseded'),
      failure_code = caelus.generation_failure(old),
      helm_revision = caelus.generation_helm_revision(old)
    where deployment_id = old.id and generation = old.generation;
  end if;
  if new.deleted_at is null then
    insert into caelus.deployment_revision
      (deployment_id, generation, template_id, domainname, user_values_json, sealed_values, changed_by)
    values (new.id, new.generation, new.desired_template_id, new.domainname, new.user_values_json, new.sealed_values,
      coalesce(caelus.current_user_id()::text, 'platform'));
  end if;
  return null;
end
$$;
revoke execute on function caelus.keep_revision from public;

create trigger keep_first_revision after insert on caelus.deployment
  for each row execute function caelus.keep_revision();
create trigger keep_revision after update on caelus.deployment
  for each row when (old.generation <> new.generation) execute function caelus.keep_revision();

alter table caelus.deployment_revision enable row level security;
-- Those of the deployments that the caller sees.
create policy api_own on caelus.deployment_revision to caelus_api
  using (exists (select from caelus.deployment d where d.id = deployment_id));
grant select, delete, update (rolled_back_to, sealed_values) on caelus.deployment_revision to caelus_api;

insert into caelus.deployment_revision
  (deployment_id, generation, template_id, domainname, user_values_json, sealed_values, changed_by, created_at)
select d.id, d.generation, d.desired_template_id, d.domainname, d.user_values_json, d.sealed_values,
  coalesce(last.actor, 'platform'), date_trunc('milliseconds', coalesce(last.at, d.created_at))
from caelus.deployment d
left join lateral (
  select actor, at from caelus.audit
  where object_kind = 'Deployment' and object_id = d.id::text and action in ('created', 'changed')
  order by id desc limit 1
) last on true
where d.deleted_at is null;
