-- What workers of apps have found in order, so that one that has just started need not look at everything again.

create table caelus.deployment_look (
  deployment_id uuid primary key references caelus.deployment (id) on delete cascade,
  -- Of chart, template and values that were asked for.
  digest text not null,
  -- What the release consists of: apps/v1/Deployment.
  kinds text[] not null,
  -- Names every version of every object of these kinds.
  fingerprint text not null,
  seen jsonb not null check (jsonb_typeof(seen) = 'object'),
  looked_at timestamptz not null
);

alter table caelus.deployment_look enable row level security;
create policy worker_keeps on caelus.deployment_look to caelus_worker using (true);
grant select, insert, update, delete on caelus.deployment_look to caelus_worker;
