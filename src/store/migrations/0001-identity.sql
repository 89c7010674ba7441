-- Who uses the platform, what they authenticate with, and which of their requests were answered already.

create table caelus.user (
  id uuid primary key default gen_random_uuid(),
  email text not null check (email <> ''),
  is_admin boolean not null default false,
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index user_email on caelus.user (lower(email));

create table caelus.api_token (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references caelus.user (id),
  name text not null,
  -- What the token begins with, so that its owner can tell it from the others; the token itself is not kept.
  prefix text not null,
  sha256 bytea not null unique check (octet_length(sha256) = 32),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_token_user on caelus.api_token (user_id);

create table caelus.idempotency_key (
  user_id uuid not null references caelus.user (id),
  key text not null check (length(key) between 1 and 255),
  request_sha256 bytea not null,
  -- Null while the first request with this key is still being answered.
  response_status integer,
  response_body jsonb,
  created_at timestamptz not null default now(),
  primary key (user_id, key)
);
create index idempotency_key_age on caelus.idempotency_key (created_at);

-- On whose behalf the transaction runs; set by asUser, empty everywhere else.
create function caelus.current_user_id() returns uuid language sql stable
  return nullif(current_setting('caelus.user_id', true), '')::uuid;
create function caelus.acts_as_admin() returns boolean language sql stable
  return coalesce(current_setting('caelus.is_admin', true), '') = 'true';

alter table caelus.user enable row level security;
create policy api_sees_own on caelus.user for select to caelus_api using (id = caelus.current_user_id());
create policy api_admin on caelus.user to caelus_api using (caelus.acts_as_admin()) with check (caelus.acts_as_admin());
create policy worker_reads on caelus.user for select to caelus_worker using (true);

alter table caelus.api_token enable row level security;
create policy api_own on caelus.api_token to caelus_api
  using (user_id = caelus.current_user_id() or caelus.acts_as_admin())
  with check (user_id = caelus.current_user_id() or caelus.acts_as_admin());

alter table caelus.idempotency_key enable row level security;
create policy api_own on caelus.idempotency_key to caelus_api
  using (user_id = caelus.current_user_id()) with check (user_id = caelus.current_user_id());
create policy worker_prunes on caelus.idempotency_key to caelus_worker using (true);

grant select, insert, update on caelus.user to caelus_api;
grant select on caelus.user to caelus_worker;
grant select, insert, update on caelus.api_token to caelus_api;
grant select, insert, update, delete on caelus.idempotency_key to caelus_api;
grant select, delete on caelus.idempotency_key to caelus_worker;
