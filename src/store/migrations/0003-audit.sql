-- What was done, by whom, to what. Rows are added and never changed, by nobody.

create table caelus.audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  object_kind text not null,
  object_id text not null,
  -- Digests, not contents: contents may hold what must not be kept.
  before_sha256 bytea,
  after_sha256 bytea,
  detail jsonb
);
create index audit_object on caelus.audit (object_kind, object_id, id);

create function caelus.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'table %.% only grows: % is refused', tg_table_schema, tg_table_name, lower(tg_op)
    using errcode = 'insufficient_privilege';
end
$$;
create trigger audit_only_grows before update or delete or truncate on caelus.audit
  for each statement execute function caelus.refuse_change();

grant select, insert on caelus.audit to caelus_api, caelus_worker;
