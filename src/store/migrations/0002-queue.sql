-- The queue of keys. One row per key that is waiting or running, none for a key that has settled.
-- docs/decisions/0003-queue.md explains the columns and has the measurements behind the indexes.

-- Weakest first; the order is that of WAKE_REASONS.
create type caelus.wake_reason as enum ('drift', 'retry', 'childChanged', 'changed', 'created', 'deleted');

-- What a person waits for (0), the world's movements (1), the scan for drift (2).
create function caelus.priority_of(reason caelus.wake_reason) returns smallint language sql immutable
  return case when reason >= 'changed'::caelus.wake_reason then 0 when reason = 'drift'::caelus.wake_reason then 2 else 1 end;

-- Never cached: a later claim must have a greater fence, whichever connection makes it.
create sequence caelus.fence as bigint cache 1;

create table caelus.job (
  queue text collate "C" not null,
  kind text collate "C" not null,
  id text collate "C" not null,
  -- Empty: no tenant.
  tenant text collate "C" not null,
  reason caelus.wake_reason not null,
  priority smallint not null generated always as (caelus.priority_of(reason)) stored,
  -- The place in line among those of equal priority. Null: not in line, because not yet due or parked.
  turn bigint,
  -- Infinity: parked, runs when somebody wakes it.
  due_at timestamptz not null,
  attempt integer not null default 0,
  failure jsonb,
  waiting_for text,
  woken_at timestamptz not null default now(),
  -- The lease. No index knows these columns, so that taking a key touches no index.
  fence bigint,
  locked_by text,
  claimed_at timestamptz,
  lease_until timestamptz,
  -- A wake that arrived during the run.
  again_reason caelus.wake_reason,
  again_at timestamptz,
  primary key (queue, kind, id)
) with (
  -- Room on the page for the version that a claim writes.
  fillfactor = 40,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 2000
);
create index job_line on caelus.job (queue, priority, turn, due_at) where turn is not null;
create index job_later on caelus.job (queue, due_at) where turn is null;
create index job_tenant on caelus.job (queue, tenant, priority, turn) where turn is not null;

-- The last turn that was served: new keys line up behind it.
create table caelus.job_turn (
  queue text collate "C" not null,
  priority smallint not null,
  served bigint not null default 0,
  primary key (queue, priority)
) with (fillfactor = 10);

-- Where a key lines up: behind the last of its tenant, or behind what was served last if its tenant has nothing in line.
-- Its settings keep it on the index, also under a plan that was made while the table was empty.
create function caelus.last_turn(of_queue text, of_tenant text, of_priority smallint) returns bigint
  language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  return greatest(
    (select served from caelus.job_turn where queue = of_queue and priority = of_priority),
    (select max(turn) from caelus.job
     where queue = of_queue and tenant = of_tenant and priority = of_priority and turn is not null),
    0
  );
end
$$;

create table caelus.job_history (
  fence bigint primary key,
  queue text not null,
  kind text not null,
  id text not null,
  tenant text not null,
  reason caelus.wake_reason not null,
  attempt integer not null,
  worker text not null,
  woken_at timestamptz not null,
  claimed_at timestamptz not null,
  finished_at timestamptz not null default now()
);
create index job_history_key on caelus.job_history (queue, kind, id, finished_at);
create index job_history_age on caelus.job_history using brin (finished_at);

create table caelus.frozen_tenant (
  queue text not null,
  tenant text not null,
  frozen_by text not null,
  why text not null,
  frozen_at timestamptz not null default now(),
  primary key (queue, tenant)
);

grant usage on sequence caelus.fence to caelus_api, caelus_worker;
grant select, insert, update, delete on caelus.job, caelus.job_turn, caelus.job_history to caelus_api, caelus_worker;
grant select, insert, delete on caelus.frozen_tenant to caelus_api;
grant select on caelus.frozen_tenant to caelus_worker;
