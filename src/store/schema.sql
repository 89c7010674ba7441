-- The schema after all migrations. Written by `UPDATE=1 npm test`; change it by adding a migration.

-- types

caelus.wake_reason
enum ('drift', 'retry', 'childChanged', 'changed', 'created', 'deleted')

-- sequences

caelus.fence
bigint, increment 1, cache 1

-- functions

caelus.acts_as_admin()
CREATE OR REPLACE FUNCTION caelus.acts_as_admin()
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (COALESCE(current_setting('caelus.is_admin'::text, true), ''::text) = 'true'::text)

caelus.current_user_id()
CREATE OR REPLACE FUNCTION caelus.current_user_id()
 RETURNS uuid
 LANGUAGE sql
 STABLE
RETURN (NULLIF(current_setting('caelus.user_id'::text, true), ''::text))::uuid

caelus.find_token(the_sha256 bytea)
CREATE OR REPLACE FUNCTION caelus.find_token(the_sha256 bytea)
 RETURNS SETOF caelus.api_token
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT api_token.id,
     api_token.user_id,
     api_token.name,
     api_token.prefix,
     api_token.sha256,
     api_token.created_at,
     api_token.expires_at,
     api_token.last_used_at,
     api_token.revoked_at,
     api_token.role
    FROM caelus.api_token
   WHERE (api_token.sha256 = find_token.the_sha256);
END

caelus.find_user(the_id uuid)
CREATE OR REPLACE FUNCTION caelus.find_user(the_id uuid)
 RETURNS SETOF caelus."user"
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT u.id,
     u.email,
     u.is_admin,
     u.created_at,
     u.deleted_at,
     u.subject,
     u.sessions_from
    FROM caelus."user" u
   WHERE ((u.id = find_user.the_id) AND (u.deleted_at IS NULL));
END

caelus.last_turn(of_queue text, of_tenant text, of_priority smallint)
CREATE OR REPLACE FUNCTION caelus.last_turn(of_queue text, of_tenant text, of_priority smallint)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
begin
  return greatest(
    (select served from caelus.job_turn where queue = of_queue and priority = of_priority),
    (select max(turn) from caelus.job
     where queue = of_queue and tenant = of_tenant and priority = of_priority and turn is not null),
    0
  );
end
$function$

caelus.mark_token_used(the_id uuid)
CREATE OR REPLACE FUNCTION caelus.mark_token_used(the_id uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 UPDATE caelus.api_token SET last_used_at = now()
   WHERE ((api_token.id = mark_token_used.the_id) AND ((api_token.last_used_at IS NULL) OR (api_token.last_used_at < (now() - '00:01:00'::interval))));
END

caelus.priority_of(reason caelus.wake_reason)
CREATE OR REPLACE FUNCTION caelus.priority_of(reason caelus.wake_reason)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE
RETURN CASE WHEN (reason >= 'changed'::caelus.wake_reason) THEN 0 WHEN (reason = 'drift'::caelus.wake_reason) THEN 2 ELSE 1 END

caelus.refuse_change()
CREATE OR REPLACE FUNCTION caelus.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'table %.% only grows: % is refused', tg_table_schema, tg_table_name, lower(tg_op)
    using errcode = 'insufficient_privilege';
end
$function$

caelus.sign_in(the_subject text, the_email text, admin boolean)
CREATE OR REPLACE FUNCTION caelus.sign_in(the_subject text, the_email text, admin boolean)
 RETURNS SETOF caelus."user"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  -- Nearly always nothing has changed, and then nothing is written: tokens of an issuer come here with every request.
  return query
    select * from caelus.user u
    where u.subject = the_subject and u.email = the_email and u.deleted_at is null and u.is_admin = coalesce(admin, u.is_admin);
  if found then return; end if;
  return query
    insert into caelus.user as u (subject, email, is_admin) values (the_subject, the_email, coalesce(admin, false))
    on conflict (lower(email)) do update set subject = the_subject, is_admin = coalesce(admin, u.is_admin)
      where u.deleted_at is null and (u.subject is null or u.subject = the_subject)
    returning *;
exception when unique_violation then
  -- Known by subject, under another email than before.
  return query
    update caelus.user u set email = the_email, is_admin = coalesce(admin, u.is_admin)
    where u.subject = the_subject and u.deleted_at is null
      and not exists (select from caelus.user other where lower(other.email) = lower(the_email) and other.id <> u.id)
    returning *;
end
$function$

caelus.sign_out(the_id uuid, at timestamp with time zone)
CREATE OR REPLACE FUNCTION caelus.sign_out(the_id uuid, at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 UPDATE caelus."user" SET sessions_from = sign_out.at
   WHERE ("user".id = sign_out.the_id);
END

-- tables

caelus."user"
  id uuid not null default gen_random_uuid()
  email text not null
  is_admin boolean not null default false
  created_at timestamp with time zone not null default now()
  deleted_at timestamp with time zone
  subject text
  sessions_from timestamp with time zone not null default '-infinity'::timestamp with time zone
  constraint user_email_check CHECK ((email <> ''::text))
  constraint user_pkey PRIMARY KEY (id)
  constraint user_subject_key UNIQUE (subject)
  row level security

caelus.api_token
  id uuid not null default gen_random_uuid()
  user_id uuid not null
  name text not null
  prefix text not null
  sha256 bytea not null
  created_at timestamp with time zone not null default now()
  expires_at timestamp with time zone
  last_used_at timestamp with time zone
  revoked_at timestamp with time zone
  role text not null default 'member'::text
  constraint api_token_pkey PRIMARY KEY (id)
  constraint api_token_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text])))
  constraint api_token_sha256_check CHECK ((octet_length(sha256) = 32))
  constraint api_token_sha256_key UNIQUE (sha256)
  constraint api_token_user_id_fkey FOREIGN KEY (user_id) REFERENCES caelus."user"(id)
  row level security

caelus.audit
  id bigint not null generated always as identity
  at timestamp with time zone not null default now()
  actor text not null
  action text not null
  object_kind text not null
  object_id text not null
  before_sha256 bytea
  after_sha256 bytea
  detail jsonb
  constraint audit_pkey PRIMARY KEY (id)

caelus.decision
  id bigint not null generated always as identity
  controller text not null
  kind text not null
  key_id text not null
  at timestamp with time zone not null
  fence bigint
  input jsonb not null
  decision jsonb not null
  constraint decision_pkey PRIMARY KEY (id)

caelus.frozen_tenant
  queue text not null
  tenant text not null
  frozen_by text not null
  why text not null
  frozen_at timestamp with time zone not null default now()
  constraint frozen_tenant_pkey PRIMARY KEY (queue, tenant)

caelus.idempotency_key
  user_id uuid not null
  key text not null
  request_sha256 bytea not null
  response_status integer
  response_body jsonb
  created_at timestamp with time zone not null default now()
  constraint idempotency_key_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255)))
  constraint idempotency_key_pkey PRIMARY KEY (user_id, key)
  constraint idempotency_key_user_id_fkey FOREIGN KEY (user_id) REFERENCES caelus."user"(id)
  row level security

caelus.job
  queue text collate "C" not null
  kind text collate "C" not null
  id text collate "C" not null
  tenant text collate "C" not null
  reason caelus.wake_reason not null
  priority smallint not null generated: caelus.priority_of(reason)
  turn bigint
  due_at timestamp with time zone not null
  attempt integer not null default 0
  failure jsonb
  waiting_for text
  woken_at timestamp with time zone not null default now()
  fence bigint
  locked_by text
  claimed_at timestamp with time zone
  lease_until timestamp with time zone
  again_reason caelus.wake_reason
  again_at timestamp with time zone
  constraint job_pkey PRIMARY KEY (queue, kind, id)
  with (fillfactor=40, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_delay=0, autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=2000)

caelus.job_history
  fence bigint not null
  queue text not null
  kind text not null
  id text not null
  tenant text not null
  reason caelus.wake_reason not null
  attempt integer not null
  worker text not null
  woken_at timestamp with time zone not null
  claimed_at timestamp with time zone not null
  finished_at timestamp with time zone not null default now()
  constraint job_history_pkey PRIMARY KEY (fence)

caelus.job_turn
  queue text collate "C" not null
  priority smallint not null
  served bigint not null default 0
  constraint job_turn_pkey PRIMARY KEY (queue, priority)
  with (fillfactor=10)

caelus.migration
  name text not null
  checksum text not null
  applied_at timestamp with time zone not null default now()
  constraint migration_pkey PRIMARY KEY (name)

-- indexes

caelus.api_token_pkey
CREATE UNIQUE INDEX api_token_pkey ON caelus.api_token USING btree (id)

caelus.api_token_sha256_key
CREATE UNIQUE INDEX api_token_sha256_key ON caelus.api_token USING btree (sha256)

caelus.api_token_user
CREATE INDEX api_token_user ON caelus.api_token USING btree (user_id)

caelus.audit_object
CREATE INDEX audit_object ON caelus.audit USING btree (object_kind, object_id, id)

caelus.audit_pkey
CREATE UNIQUE INDEX audit_pkey ON caelus.audit USING btree (id)

caelus.decision_age
CREATE INDEX decision_age ON caelus.decision USING brin (at)

caelus.decision_key
CREATE INDEX decision_key ON caelus.decision USING btree (kind, key_id, id)

caelus.decision_pkey
CREATE UNIQUE INDEX decision_pkey ON caelus.decision USING btree (id)

caelus.frozen_tenant_pkey
CREATE UNIQUE INDEX frozen_tenant_pkey ON caelus.frozen_tenant USING btree (queue, tenant)

caelus.idempotency_key_age
CREATE INDEX idempotency_key_age ON caelus.idempotency_key USING btree (created_at)

caelus.idempotency_key_pkey
CREATE UNIQUE INDEX idempotency_key_pkey ON caelus.idempotency_key USING btree (user_id, key)

caelus.job_history_age
CREATE INDEX job_history_age ON caelus.job_history USING brin (finished_at)

caelus.job_history_key
CREATE INDEX job_history_key ON caelus.job_history USING btree (queue, kind, id, finished_at)

caelus.job_history_pkey
CREATE UNIQUE INDEX job_history_pkey ON caelus.job_history USING btree (fence)

caelus.job_later
CREATE INDEX job_later ON caelus.job USING btree (queue, due_at) WHERE (turn IS NULL)

caelus.job_line
CREATE INDEX job_line ON caelus.job USING btree (queue, priority, turn, due_at) WHERE (turn IS NOT NULL)

caelus.job_pkey
CREATE UNIQUE INDEX job_pkey ON caelus.job USING btree (queue, kind, id)

caelus.job_tenant
CREATE INDEX job_tenant ON caelus.job USING btree (queue, tenant, priority, turn) WHERE (turn IS NOT NULL)

caelus.job_turn_pkey
CREATE UNIQUE INDEX job_turn_pkey ON caelus.job_turn USING btree (queue, priority)

caelus.migration_pkey
CREATE UNIQUE INDEX migration_pkey ON caelus.migration USING btree (name)

caelus.user_email
CREATE UNIQUE INDEX user_email ON caelus."user" USING btree (lower(email))

caelus.user_pkey
CREATE UNIQUE INDEX user_pkey ON caelus."user" USING btree (id)

caelus.user_subject_key
CREATE UNIQUE INDEX user_subject_key ON caelus."user" USING btree (subject)

-- triggers

caelus.audit audit_only_grows
CREATE TRIGGER audit_only_grows BEFORE DELETE OR UPDATE OR TRUNCATE ON caelus.audit FOR EACH STATEMENT EXECUTE FUNCTION caelus.refuse_change()

-- policies

caelus."user" api_admin
for all to caelus_api using (caelus.acts_as_admin()) with check (caelus.acts_as_admin())

caelus."user" api_sees_own
for select to caelus_api using ((id = caelus.current_user_id()))

caelus."user" worker_reads
for select to caelus_worker using (true)

caelus.api_token api_own
for all to caelus_api using (((user_id = caelus.current_user_id()) OR caelus.acts_as_admin())) with check (((user_id = caelus.current_user_id()) OR caelus.acts_as_admin()))

caelus.idempotency_key api_own
for all to caelus_api using ((user_id = caelus.current_user_id())) with check ((user_id = caelus.current_user_id()))

caelus.idempotency_key worker_prunes
for all to caelus_worker using (true)

-- grants

caelus."user" to caelus_api
insert, select, update

caelus."user" to caelus_worker
select

caelus.api_token to caelus_api
insert, select, update

caelus.audit to caelus_api
insert, select

caelus.audit to caelus_worker
insert, select

caelus.decision to caelus_api
select

caelus.decision to caelus_worker
delete, insert, select

caelus.fence to caelus_api
usage

caelus.fence to caelus_worker
usage

caelus.frozen_tenant to caelus_api
delete, insert, select

caelus.frozen_tenant to caelus_worker
select

caelus.idempotency_key to caelus_api
delete, insert, select, update

caelus.idempotency_key to caelus_worker
delete, select

caelus.job to caelus_api
delete, insert, select, update

caelus.job to caelus_worker
delete, insert, select, update

caelus.job_history to caelus_api
delete, insert, select, update

caelus.job_history to caelus_worker
delete, insert, select, update

caelus.job_turn to caelus_api
delete, insert, select, update

caelus.job_turn to caelus_worker
delete, insert, select, update
