-- What pure decide functions were given and what they answered, for explain and replay. Kept for a while.

create table caelus.decision (
  id bigint generated always as identity primary key,
  controller text not null,
  kind text not null,
  key_id text not null,
  at timestamptz not null,
  fence bigint,
  input jsonb not null,
  decision jsonb not null
);
create index decision_key on caelus.decision (kind, key_id, id);
create index decision_age on caelus.decision using brin (at);

grant select on caelus.decision to caelus_api;
grant select, insert, delete on caelus.decision to caelus_worker;
