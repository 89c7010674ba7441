-- Decisions of all processes are read from the table: how the run ended is kept with each of them.

alter table caelus.decision
  -- As text, with the order of fields that the decide function was given.
  alter column input type json using input::text::json,
  alter column decision type json using decision::text::json,
  -- Null in rows of earlier versions, whose input is not complete: they cannot be replayed.
  add column masked text[],
  -- Null in rows of earlier versions.
  add column outcome text,
  add column because text,
  add column failure jsonb,
  add column ms integer,
  add column attempt integer,
  -- Equal records for one key, one after the other, are one row.
  add column digest bytea,
  add column repeats integer not null default 0,
  add column last_at timestamptz;

-- The newest of an object, the newest of a filter. Without a filter the primary key serves.
drop index caelus.decision_key;
create index decision_key on caelus.decision (key_id, kind, id);
create index decision_controller on caelus.decision (controller, id);
create index decision_kind on caelus.decision (kind, id);
create index decision_outcome on caelus.decision (outcome, id);

grant update (repeats, last_at) on caelus.decision to caelus_worker;

-- One notification per statement that added rows. Writers add many rows with one statement, and at most a few
-- statements per second. It has no payload, because every session may listen.
create function caelus.notify_decisions() returns trigger language plpgsql as $$
begin
  if exists (select from added) then
    perform pg_notify('caelus_decision', '');
  end if;
  return null;
end
$$;
create trigger decision_added after insert on caelus.decision
  referencing new table as added for each statement execute function caelus.notify_decisions();
