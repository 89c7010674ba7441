-- A deployment that is suspended is left as it is until it is resumed; deleting it works all the same.

alter table caelus.deployment add column suspended_at timestamptz;

create trigger suspension_notice after update of suspended_at on caelus.deployment
  for each row when (old.suspended_at is distinct from new.suspended_at)
  execute function caelus.notify_change(
    'apps', 'Deployment', 'id', 'user_id', 'deployment_uid', 'status', 'last_error.code');
