-- Commits that notify wait for each other, because NOTIFY takes one lock of the whole server until its transaction has
-- committed: 16 sessions commit 600 times per second instead of 2,800. So at most one transaction in 10 ms sends its
-- changes itself (2,000 per second). The others leave them in a table, and API processes send them soon after.

-- Unlogged: after a crash of the server every listener connects anew and reads the current state.
create unlogged table caelus.unsent_change (
  kind text collate "C" not null,
  id uuid not null,
  primary key (kind, id)
);

-- When the last notice was sent, in milliseconds. A sequence, because all sessions see its value at once and none waits.
create sequence caelus.change_sent_ms as bigint minvalue 0 start 0;

create or replace function caelus.tell_change() returns trigger language plpgsql as $$
declare
  now_ms bigint = extract(epoch from clock_timestamp()) * 1000;
  -- A setting for tests.
  quiet_ms bigint = coalesce(nullif(current_setting('caelus.change_quiet_ms', true), ''), '10');
  change jsonb = jsonb_build_object('kind', tg_argv[0], 'id', new.id);
begin
  if abs(now_ms - (select last_value from caelus.change_sent_ms)) < quiet_ms then
    -- The update locks the row until this transaction has committed: it is not sent with the state before.
    insert into caelus.unsent_change values (tg_argv[0], new.id)
    on conflict (kind, id) do update set kind = excluded.kind;
    return null;
  end if;
  perform setval('caelus.change_sent_ms', now_ms);
  if tg_table_name = 'deployment' then
    change = change || jsonb_build_object(
      'name', new.deployment_uid, 'user', new.user_id, 'status', new.status, 'failure', new.last_error ->> 'code');
  end if;
  perform pg_notify('caelus_change', change::text);
  return null;
end
$$;

-- Sends the changes that were left, with the present state of their objects. The lock on a deployment keeps a later
-- change from being sent before this one. Rows that are being changed are left for the next call.
create function caelus.send_unsent_changes() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  change record;
begin
  for change in
    select u.kind, u.id, jsonb_build_object('kind', u.kind, 'id', u.id, 'name', d.deployment_uid, 'user', d.user_id,
      'status', d.status, 'failure', d.last_error ->> 'code') as notice
    from caelus.unsent_change u join caelus.deployment d on d.id = u.id
    where u.kind = 'Deployment' limit 1000
    for update of u skip locked for share of d skip locked
  loop
    delete from caelus.unsent_change where (kind, id) = (change.kind, change.id);
    perform pg_notify('caelus_change', change.notice::text);
  end loop;
  for change in
    select kind, id from caelus.unsent_change where kind <> 'Deployment' limit 1000 for update skip locked
  loop
    delete from caelus.unsent_change where (kind, id) = (change.kind, change.id);
    perform pg_notify('caelus_change', jsonb_build_object('kind', change.kind, 'id', change.id)::text);
  end loop;
end
$$;

grant select, insert, update on caelus.unsent_change to caelus_api, caelus_worker;
grant select, update on sequence caelus.change_sent_ms to caelus_api, caelus_worker;
revoke execute on function caelus.send_unsent_changes from public;
grant execute on function caelus.send_unsent_changes to caelus_api;
