-- Where charts come from that not everybody may fetch: one row for each host. The password is sealed with CAELUS_VALUES_KEY.
create table caelus.chart_source (
  id uuid primary key default gen_random_uuid(),
  -- As in the address of a chart, with the port if it names one.
  host text collate "C" not null unique check (host = lower(host) and host <> ''),
  username text,
  sealed_password text,
  -- Certificate authorities in PEM, in the place of the usual ones.
  ca text,
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  updated_at timestamptz not null default date_trunc('milliseconds', now()),
  check ((username is null) = (sealed_password is null))
);

alter table caelus.chart_source enable row level security;
create policy api_admin on caelus.chart_source to caelus_api
  using ((select caelus.acts_as_admin())) with check ((select caelus.acts_as_admin()));
create policy worker_reads on caelus.chart_source for select to caelus_worker using (true);
grant select, insert, update, delete on caelus.chart_source to caelus_api;
grant select on caelus.chart_source to caelus_worker;
