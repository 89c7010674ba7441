-- The operation of a person that is over: Gardener was asked for it, or it was dropped. Until then, no other one is taken.
alter table tenant.cluster_sync add column closed_operation text;
grant update (closed_operation) on tenant.cluster_sync to caelus_worker;

-- Those of before. One that is younger is closed by a worker.
update tenant.cluster_sync s set closed_operation = c.operation ->> 'id'
from tenant.clusters c
where c.id = s.cluster_id
  and (c.operation ->> 'requested_at')::float8 < extract(epoch from now() - interval '1 hour') * 1000;
