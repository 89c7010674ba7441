-- What is remembered of a rollout, so that waiting for health needs no process and one digest is tried a bounded number of times.

alter table caelus.deployment drop constraint deployment_status_check;
alter table caelus.deployment add constraint deployment_status_check check (status in (
  'pending', 'provisioning', 'ready', 'upgrading', 'degraded', 'stalled', 'deleting', 'deleted', 'error'));

alter table caelus.deployment
  -- The generation that status and last_error speak of.
  add column status_generation bigint not null default 0
    check (status_generation between 0 and generation),
  -- How often a person asked to try again what had failed.
  add column retries bigint not null default 0 check (retries >= 0),
  add column rollout_json jsonb check (jsonb_typeof(rollout_json) = 'object'),
  -- What somebody changed and the API server does not let us change back.
  add column unrepairable_json jsonb not null default '[]' check (jsonb_typeof(unrepairable_json) = 'array');

update caelus.deployment set status_generation = observed_generation;

grant update (status_generation, rollout_json, unrepairable_json) on caelus.deployment to caelus_worker;

drop trigger update_notice on caelus.deployment;
-- Not when it was only reconciled.
create trigger update_notice after update on caelus.deployment
  for each row when (
    (old.status, old.generation, old.observed_generation, old.status_generation, old.applied_template_id, old.last_error,
      old.unrepairable_json)
    is distinct from (new.status, new.generation, new.observed_generation, new.status_generation,
      new.applied_template_id, new.last_error, new.unrepairable_json)
  )
  execute function caelus.notify_change(
    'apps', 'Deployment', 'id', 'user_id', 'deployment_uid', 'status', 'last_error.code');
