-- Changes of rows, for live events of any domain. A table sends its changes by a trigger with these arguments:
-- topic, kind, column of the id, column of the tenant ('' if it has none), and further columns to send.
-- A further column may be a path into JSON: last_error.code. The tenant of a row must not change.
--
-- The channel is new: processes of the version before send what they do not know to every user.

drop trigger deployment_is_told on caelus.deployment;
drop trigger deployment_change_is_told on caelus.deployment;
drop trigger product_is_told on caelus.product;
drop trigger template_is_told on caelus.product_template_version;
drop function caelus.tell_change();

-- After the triggers, which no open transaction can still fire: nothing is left behind.
select caelus.send_unsent_changes();
drop table caelus.unsent_change;

-- Only the functions below have access. Unlogged: after a crash of the server every listener connects anew and reads
-- the current state.
create unlogged table caelus.unsent_change (
  -- Topic, kind, id and tenant.
  object jsonb primary key,
  notice jsonb not null
);
alter table caelus.unsent_change enable row level security;
revoke select, update on sequence caelus.change_sent_ms from caelus_api, caelus_worker;

create function caelus.notify_change() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  now_ms bigint = extract(epoch from clock_timestamp()) * 1000;
  -- A setting for tests.
  quiet_ms bigint = coalesce(nullif(current_setting('caelus.change_quiet_ms', true), ''), '10');
  -- Reads the named columns only: the row as a whole may be large, or hold JSON that jsonb cannot.
  pick text = format(
    'select jsonb_build_object(''topic'', %L, ''kind'', %L, ''id'', ($1).%I::text, ''tenant'', %s), jsonb_build_object(%s)',
    tg_argv[0], tg_argv[1], tg_argv[2],
    case tg_argv[3] when '' then 'null' else format('($1).%I::text', tg_argv[3]) end,
    (
      select string_agg(format('%L, to_jsonb(($1).%I) #> %L', path, part[1], part[2:]), ', ')
      from unnest(tg_argv[4:]) path, string_to_array(path, '.') part
    ));
  changed jsonb;
  columns jsonb;
  notice jsonb;
begin
  if tg_op = 'DELETE' then
    execute pick into changed, columns using old;
  else
    execute pick into changed, columns using new;
  end if;
  notice = changed || jsonb_build_object('operation', lower(tg_op), 'columns', columns);
  -- A longer one would be refused, and the change of the row with it.
  if octet_length(notice::text) >= 8000 then
    notice = notice || jsonb_build_object('columns', '{}'::jsonb);
  end if;
  if abs(now_ms - (select last_value from caelus.change_sent_ms)) < quiet_ms then
    -- The update locks the row until this transaction has committed: the notice before is not sent meanwhile.
    insert into caelus.unsent_change values (changed, notice)
    on conflict (object) do update set notice = excluded.notice;
    return null;
  end if;
  -- An unsent notice of the same object is older. If it is being sent, this waits, and the newer one is sent last.
  delete from caelus.unsent_change where object = changed;
  perform setval('caelus.change_sent_ms', now_ms);
  perform pg_notify('caelus_row_change', notice::text);
  return null;
end
$$;

-- Sends the notices that were left. Those that are being replaced are left for the next call.
create or replace function caelus.send_unsent_changes() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  unsent record;
begin
  for unsent in select * from caelus.unsent_change limit 1000 for update skip locked loop
    delete from caelus.unsent_change where object = unsent.object;
    perform pg_notify('caelus_row_change', unsent.notice::text);
  end loop;
end
$$;

revoke execute on function caelus.notify_change from public;

create trigger insert_notice after insert on caelus.deployment
  for each row execute function caelus.notify_change(
    'apps', 'Deployment', 'id', 'user_id', 'deployment_uid', 'status', 'last_error.code');
-- Not when it was only reconciled.
create trigger update_notice after update on caelus.deployment
  for each row when (
    (old.status, old.generation, old.observed_generation, old.applied_template_id, old.last_error)
    is distinct from (new.status, new.generation, new.observed_generation, new.applied_template_id, new.last_error)
  )
  execute function caelus.notify_change(
    'apps', 'Deployment', 'id', 'user_id', 'deployment_uid', 'status', 'last_error.code');
create trigger change_notice after insert or update on caelus.product
  for each row execute function caelus.notify_change('apps', 'Product', 'id', '');
create trigger change_notice after insert or update on caelus.product_template_version
  for each row execute function caelus.notify_change('apps', 'Template', 'id', '');

create trigger change_notice after insert or update on tenant.organizations
  for each row execute function caelus.notify_change('organizations', 'Organization', 'id', 'id', 'deleted_at');
create trigger change_notice after insert or update or delete on tenant.organization_members
  for each row execute function caelus.notify_change('organizations', 'Member', 'user_id', 'organization_id', 'role');
create trigger change_notice after insert or update on tenant.organization_invitations
  for each row execute function caelus.notify_change('organizations', 'Invitation', 'id', 'organization_id');
