-- How many leases of this key lapsed since a run last finished by itself: a run that kills its process is not run for ever.
alter table caelus.job add column lapses integer not null default 0;
