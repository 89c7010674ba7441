-- What the doors of apps need beside the rows themselves.

-- One row: facts that are made once and belong to this database.
create table caelus.installation (
  single boolean primary key default true check (single),
  -- Goes into every digest of values, so that a secret cannot be guessed by hashing.
  digest_salt text not null default gen_random_uuid()::text || gen_random_uuid()::text
);
insert into caelus.installation default values;
grant select on caelus.installation to caelus_api, caelus_worker;

-- Tells whoever listens that something changed; what it is now, they may read if they may see it. Nothing of the contents
-- of a row goes along, because everybody who may connect may listen.
create function caelus.tell_change() returns trigger language plpgsql as $$
declare
  change jsonb = jsonb_build_object('kind', tg_argv[0], 'id', new.id);
begin
  if tg_table_name = 'deployment' then
    change = change || jsonb_build_object(
      'name', new.deployment_uid, 'user', new.user_id, 'status', new.status, 'failure', new.last_error ->> 'code');
  end if;
  perform pg_notify('caelus_change', change::text);
  return null;
end
$$;

create trigger deployment_is_told after insert on caelus.deployment
  for each row execute function caelus.tell_change('Deployment');
-- Not when it was only looked at.
create trigger deployment_change_is_told after update on caelus.deployment
  for each row when (
    (old.status, old.generation, old.observed_generation, old.applied_template_id, old.last_error)
    is distinct from (new.status, new.generation, new.observed_generation, new.applied_template_id, new.last_error)
  )
  execute function caelus.tell_change('Deployment');
create trigger product_is_told after insert or update on caelus.product
  for each row execute function caelus.tell_change('Product');
create trigger template_is_told after insert or update on caelus.product_template_version
  for each row execute function caelus.tell_change('Template');
