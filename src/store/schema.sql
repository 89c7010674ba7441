-- The schema after all migrations. Written by `UPDATE=1 npm test`; change it by adding a migration.

-- types

caelus.wake_reason
enum ('drift', 'retry', 'childChanged', 'changed', 'created', 'deleted')

-- sequences

caelus.change_sent_ms
bigint, increment 1, cache 1

caelus.fence
bigint, increment 1, cache 1

-- functions

caelus.acts_as_admin()
CREATE OR REPLACE FUNCTION caelus.acts_as_admin()
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (COALESCE(current_setting('caelus.is_admin'::text, true), ''::text) = 'true'::text)

caelus.changeable_tenants()
CREATE OR REPLACE FUNCTION caelus.changeable_tenants()
 RETURNS text[]
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT array_append(ARRAY( SELECT (m.organization_id)::text AS organization_id
            FROM (tenant.organization_members m
              JOIN tenant.organizations o ON (((o.id = m.organization_id) AND (o.deleted_at IS NULL))))
           WHERE ((m.user_id = caelus.current_user_id()) AND (m.role = ANY (ARRAY['owner'::text, 'member'::text])))), (caelus.current_user_id())::text) AS array_append;
END

caelus.current_tenants()
CREATE OR REPLACE FUNCTION caelus.current_tenants()
 RETURNS text[]
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT array_append(ARRAY( SELECT (m.organization_id)::text AS organization_id
            FROM (tenant.organization_members m
              JOIN tenant.organizations o ON (((o.id = m.organization_id) AND (o.deleted_at IS NULL))))
           WHERE (m.user_id = caelus.current_user_id())), (caelus.current_user_id())::text) AS array_append;
END

caelus.current_user_id()
CREATE OR REPLACE FUNCTION caelus.current_user_id()
 RETURNS uuid
 LANGUAGE sql
 STABLE
RETURN (NULLIF(current_setting('caelus.user_id'::text, true), ''::text))::uuid

caelus.deployment_left_cluster()
CREATE OR REPLACE FUNCTION caelus.deployment_left_cluster()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform caelus.wake('clusters', 'Cluster', c.id::text, c.organization_id::text, 'childChanged')
    from tenant.clusters c where c.id = new.cluster_id and c.deleted is not null;
  return null;
end
$function$

caelus.domain_claim(the_domain text, the_user uuid)
CREATE OR REPLACE FUNCTION caelus.domain_claim(the_domain text, the_user uuid)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (owned_domain.user_id = domain_claim.the_user) THEN 'own'::text
             ELSE 'other'::text
         END AS "case"
    FROM caelus.owned_domain
   WHERE ((domain_claim.the_domain = owned_domain.suffix) OR ("right"(domain_claim.the_domain, (length(owned_domain.suffix) + 1)) = ('.'::text || owned_domain.suffix)))
   ORDER BY (length(owned_domain.suffix)) DESC
  LIMIT 1;
END

caelus.domain_is_taken(the_domain text, but_by uuid)
CREATE OR REPLACE FUNCTION caelus.domain_is_taken(the_domain text, but_by uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM caelus.deployment
           WHERE ((deployment.domainname = domain_is_taken.the_domain) AND (deployment.status <> 'deleted'::text) AND (deployment.id IS DISTINCT FROM domain_is_taken.but_by)))) AS "exists";
END

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
     u.sessions_from,
     u.generation
    FROM caelus."user" u
   WHERE ((u.id = find_user.the_id) AND (u.deleted_at IS NULL));
END

caelus.generation_failure(d caelus.deployment)
CREATE OR REPLACE FUNCTION caelus.generation_failure(d caelus.deployment)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (((d).observed_generation <> (d).generation) AND ((d).status_generation = (d).generation)) THEN ((d).last_error ->> 'code'::text)
             ELSE NULL::text
         END AS "case";
END

caelus.generation_helm_revision(d caelus.deployment)
CREATE OR REPLACE FUNCTION caelus.generation_helm_revision(d caelus.deployment)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN ((d).observed_generation = (d).generation) THEN (d).helm_revision
             WHEN (((d).status_generation = (d).generation) AND (((d).rollout_json #>> '{failure,code}'::text[]) = ((d).last_error ->> 'code'::text))) THEN (((d).rollout_json ->> 'failedRevision'::text))::bigint
             ELSE NULL::bigint
         END AS "case";
END

caelus.generation_outcome(d caelus.deployment)
CREATE OR REPLACE FUNCTION caelus.generation_outcome(d caelus.deployment)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN ((d).observed_generation = (d).generation) THEN 'ready'::text
             WHEN ((d).status_generation <> (d).generation) THEN 'pending'::text
             WHEN (((((d).rollout_json ->> 'rollbacks'::text))::integer > 0) AND (((d).rollout_json #>> '{failure,code}'::text[]) = ((d).last_error ->> 'code'::text))) THEN 'rolled_back'::text
             WHEN ((d).status = ANY (ARRAY['error'::text, 'stalled'::text])) THEN 'failed'::text
             ELSE 'pending'::text
         END AS "case";
END

caelus.guard_deployment()
CREATE OR REPLACE FUNCTION caelus.guard_deployment()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (new.id, new.deployment_uid, new.namespace_name, new.release_name, new.user_id, new.created_at)
    is distinct from (old.id, old.deployment_uid, old.namespace_name, old.release_name, old.user_id, old.created_at) then
    raise exception 'the identity of deployment % never changes', old.id using errcode = 'insufficient_privilege';
  end if;
  if old.deleted_at is not null and new.deleted_at is distinct from old.deleted_at then
    raise exception 'the deletion of deployment % cannot be taken back', old.id using errcode = 'insufficient_privilege';
  end if;
  if new.generation < old.generation then
    raise exception 'the generation of deployment % only grows', old.id using errcode = 'insufficient_privilege';
  end if;
  if new.status <> old.status then
    new.status_since = date_trunc('milliseconds', now());
  end if;
  return new;
end
$function$

caelus.guard_deployment_cluster()
CREATE OR REPLACE FUNCTION caelus.guard_deployment_cluster()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform from tenant.clusters c
    join tenant.organizations o on o.id = c.organization_id and o.deleted_at is null
    join tenant.organization_members m on m.organization_id = c.organization_id
    where c.id = new.cluster_id and c.deleted is null and m.user_id = new.user_id and m.role in ('owner', 'member')
    for share of c;
  if not found then
    raise exception 'user % has no cluster %', new.user_id, new.cluster_id
      using errcode = 'check_violation', constraint = 'deployment_has_cluster';
  end if;
  return new;
end
$function$

caelus.guard_deployment_place()
CREATE OR REPLACE FUNCTION caelus.guard_deployment_place()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the cluster of deployment % never changes', old.id using errcode = 'insufficient_privilege';
end
$function$

caelus.job_reason(reason caelus.wake_reason)
CREATE OR REPLACE FUNCTION caelus.job_reason(reason caelus.wake_reason)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN CASE reason WHEN 'created'::caelus.wake_reason THEN 'create'::text WHEN 'changed'::caelus.wake_reason THEN 'update'::text WHEN 'deleted'::caelus.wake_reason THEN 'delete'::text WHEN 'retry'::caelus.wake_reason THEN 'retry'::text ELSE 'drift'::text END

caelus.keep_revision()
CREATE OR REPLACE FUNCTION caelus.keep_revision()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if tg_op = 'UPDATE' then
    update caelus.deployment_revision set
      outcome = replace(caelus.generation_outcome(old), 'pending', 'superseded'),
      failure_code = caelus.generation_failure(old),
      helm_revision = caelus.generation_helm_revision(old)
    where deployment_id = old.id and generation = old.generation;
  end if;
  if new.deleted_at is null then
    insert into caelus.deployment_revision
      (deployment_id, generation, template_id, domainname, user_values_json, sealed_values, changed_by)
    values (new.id, new.generation, new.desired_template_id, new.domainname, new.user_values_json, new.sealed_values,
      coalesce(caelus.current_user_id()::text, 'platform'));
  end if;
  return null;
end
$function$

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

caelus.next_generation()
CREATE OR REPLACE FUNCTION caelus.next_generation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.generation = old.generation + 1;
  return new;
end
$function$

caelus.note_unreachable()
CREATE OR REPLACE FUNCTION caelus.note_unreachable()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  new.unreachable_since = case
    when new.last_error ->> 'code' = 'ClusterUnreachable' then coalesce(old.unreachable_since, now()) end;
  return new;
end
$function$

caelus.notify_change()
CREATE OR REPLACE FUNCTION caelus.notify_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  now_ms bigint = extract(epoch from clock_timestamp()) * 1000;
  -- A setting for tests.
  quiet_ms bigint = coalesce(nullif(current_setting('caelus.change_quiet_ms', true), ''), '10');
  -- Reads the named columns only: the row as a whole may be large, or hold JSON that jsonb cannot.
  pick text = format(
    'select jsonb_build_object(''topic'', %L, ''kind'', %L, ''id'', ($1).%I::text, ''tenant'', %s), jsonb_build_object(%s)',
    tg_argv[0], tg_argv[1], tg_argv[2],
    case tg_argv[3] when '' then 'null' else format('($1).%I::text', tg_argv[3]) end,
    (
      select string_agg(format('%L, to_jsonb(($1).%I) #> %L', path, part[1], part[2:]), ', ')
      from unnest(tg_argv[4:]) path, string_to_array(path, '.') part
    ));
  changed jsonb;
  columns jsonb;
  notice jsonb;
begin
  if tg_op = 'DELETE' then
    execute pick into changed, columns using old;
  else
    execute pick into changed, columns using new;
  end if;
  notice = changed || jsonb_build_object('operation', lower(tg_op), 'columns', columns);
  -- A longer one would be refused, and the change of the row with it.
  if octet_length(notice::text) >= 8000 then
    notice = notice || jsonb_build_object('columns', '{}'::jsonb);
  end if;
  if abs(now_ms - (select last_value from caelus.change_sent_ms)) < quiet_ms then
    -- The update locks the row until this transaction has committed: the notice before is not sent meanwhile.
    insert into caelus.unsent_change values (changed, notice)
    on conflict (object) do update set notice = excluded.notice;
    return null;
  end if;
  -- An unsent notice of the same object is older. If it is being sent, this waits, and the newer one is sent last.
  delete from caelus.unsent_change where object = changed;
  perform setval('caelus.change_sent_ms', now_ms);
  perform pg_notify('caelus_row_change', notice::text);
  return null;
end
$function$

caelus.notify_cluster_app()
CREATE OR REPLACE FUNCTION caelus.notify_cluster_app()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  insert into caelus.unsent_change
  select object, object || jsonb_build_object('operation', lower(tg_op), 'columns', jsonb_build_object('status', new.status))
  from tenant.clusters c, jsonb_build_object(
    'topic', 'clusters', 'kind', 'ClusterApp', 'id', new.deployment_uid, 'tenant', c.organization_id::text) object
  where c.id = new.cluster_id
  on conflict (object) do update set notice = excluded.notice;
  return null;
end
$function$

caelus.notify_decisions()
CREATE OR REPLACE FUNCTION caelus.notify_decisions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from added) then
    perform pg_notify('caelus_decision', '');
  end if;
  return null;
end
$function$

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

caelus.refuse_change_except()
CREATE OR REPLACE FUNCTION caelus.refuse_change_except()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if to_jsonb(new) - tg_argv <> to_jsonb(old) - tg_argv then
    raise exception 'a row of %.% never changes but for %', tg_table_schema, tg_table_name, array_to_string(tg_argv, ', ')
      using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$function$

caelus.send_unsent_changes()
CREATE OR REPLACE FUNCTION caelus.send_unsent_changes()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  unsent record;
begin
  for unsent in select * from caelus.unsent_change limit 1000 for update skip locked loop
    delete from caelus.unsent_change where object = unsent.object;
    perform pg_notify('caelus_row_change', unsent.notice::text);
  end loop;
end
$function$

caelus.sign_in(the_subject text, the_email text, admin boolean)
CREATE OR REPLACE FUNCTION caelus.sign_in(the_subject text, the_email text, admin boolean)
 RETURNS SETOF caelus."user"
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT sign_in.id,
     sign_in.email,
     sign_in.is_admin,
     sign_in.created_at,
     sign_in.deleted_at,
     sign_in.subject,
     sign_in.sessions_from,
     sign_in.generation
    FROM caelus.sign_in(sign_in.the_subject, sign_in.the_email, true, sign_in.admin) sign_in(id, email, is_admin, created_at, deleted_at, subject, sessions_from, generation);
END

caelus.sign_in(the_subject text, the_email text, is_verified boolean, admin boolean)
CREATE OR REPLACE FUNCTION caelus.sign_in(the_subject text, the_email text, is_verified boolean, admin boolean)
 RETURNS SETOF caelus."user"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  -- Nearly always nothing has changed, and then nothing is written: tokens of an issuer come here with every request.
  return query
    select * from caelus.user u
    where u.subject = the_subject and u.deleted_at is null
      and (not is_verified or u.email = the_email) and u.is_admin = coalesce(admin, u.is_admin);
  if found then return; end if;
  return query
    update caelus.user u
    set email = case when is_verified then the_email else u.email end, is_admin = coalesce(admin, u.is_admin)
    where u.subject = the_subject and u.deleted_at is null
      and not (is_verified and exists (
        select from caelus.user other where lower(other.email) = lower(the_email) and other.id <> u.id))
    returning *;
  if found or the_email is null or exists (select from caelus.user u where u.subject = the_subject) then return; end if;
  return query
    insert into caelus.user as u (subject, email, is_admin) values (the_subject, the_email, coalesce(admin, false))
    on conflict (lower(email)) do update set subject = the_subject, is_admin = coalesce(admin, u.is_admin)
      where u.deleted_at is null and (u.subject = the_subject or u.subject is null and is_verified)
    returning *;
exception when unique_violation then
  -- A concurrent request of the same subject was first.
  return query select * from caelus.user u where u.subject = the_subject and u.deleted_at is null;
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

caelus.wake(queue text, kind text, id text, tenant text, reason caelus.wake_reason, after_ms double precision)
CREATE OR REPLACE FUNCTION caelus.wake(queue text, kind text, id text, tenant text, reason caelus.wake_reason, after_ms double precision DEFAULT 0)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 SELECT caelus.wake_all(queue, ARRAY[kind], ARRAY[id], ARRAY[COALESCE(tenant, ''::text)], ARRAY[reason], ARRAY[after_ms], true) AS wake_all;
END

caelus.wake_all(of_queue text, kinds text[], ids text[], tenants text[], reasons caelus.wake_reason[], delays_ms double precision[], hint boolean)
CREATE OR REPLACE FUNCTION caelus.wake_all(of_queue text, kinds text[], ids text[], tenants text[], reasons caelus.wake_reason[], delays_ms double precision[], hint boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
begin
  -- The current user is the owner of the function. The caller is the role that the session has set, or its login.
  if (
    pg_has_role(coalesce(nullif(current_setting('role'), 'none'), session_user)::name, 'caelus_worker', 'member')
    or caelus.acts_as_admin() or tenants <@ caelus.changeable_tenants()
  ) is not true then
    raise insufficient_privilege using message = format('permission denied to wake keys of tenants %s', tenants);
  end if;
  with asked as (
    select *, caelus.priority_of(reason) as priority
    from unnest(kinds, ids, tenants, reasons, delays_ms)
      with ordinality as asked (kind, id, tenant, reason, after_ms, nth)
  ),
  placed as (
    select *,
      case when after_ms <= 0 then
        last_turn + row_number() over (partition by tenant, priority, after_ms <= 0 order by nth)
      end as turn
    from asked join (
      select tenant, priority, caelus.last_turn(of_queue, tenant, priority) as last_turn
      from asked group by tenant, priority
    ) last using (tenant, priority)
  )
  insert into caelus.job as job (queue, kind, id, tenant, reason, turn, due_at)
  select of_queue, kind, id, tenant, reason, turn, now() + after_ms * interval '1 ms'
  from placed order by kind, id
  on conflict (queue, kind, id) do update set
    tenant = case
      when job.tenant = '' or (excluded.priority = 0 and excluded.tenant <> '') then excluded.tenant
      else job.tenant end,
    reason = case
      when job.lease_until is not null then job.reason
      when job.due_at = 'infinity' then excluded.reason
      else greatest(job.reason, excluded.reason) end,
    turn = case
      when job.lease_until is not null then job.turn
      when job.turn is not null and excluded.priority >= job.priority then job.turn
      -- It stays out of line until its backoff has passed.
      when excluded.reason = 'drift' and job.attempt > 0 and job.due_at < 'infinity' then null
      -- The turn is one of a tenant that the key does not get. The next claim lines it up behind its own.
      when job.tenant not in ('', excluded.tenant) and (excluded.priority > 0 or excluded.tenant = '') then null
      when excluded.priority <= job.priority or job.due_at = 'infinity' then excluded.turn end,
    due_at = case
      when job.lease_until is not null then job.due_at
      when excluded.reason = 'drift' and job.attempt > 0 and job.due_at < 'infinity' then job.due_at
      else least(job.due_at, excluded.due_at) end,
    attempt = case when job.lease_until is null and excluded.priority = 0 then 0 else job.attempt end,
    lapses = case when job.lease_until is null and excluded.priority = 0 then 0 else job.lapses end,
    again_reason = case when job.lease_until is not null then greatest(job.again_reason, excluded.reason) end,
    again_at = case when job.lease_until is not null then least(job.again_at, excluded.due_at) end
  -- Only a key that was given up is parked with lapses.
  where not (job.due_at = 'infinity' and job.lapses > 0 and excluded.reason = 'childChanged');
  if hint then
    perform pg_notify('caelus_queue', of_queue);
  end if;
end
$function$

tenant.accept_invitation(the_sha256 bytea)
CREATE OR REPLACE FUNCTION tenant.accept_invitation(the_sha256 bytea)
 RETURNS SETOF uuid
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT tenant.accept_invitations(ARRAY( SELECT i.id
            FROM (tenant.organization_invitations i
              JOIN caelus."user" u ON (((u.id = caelus.current_user_id()) AND (lower(u.email) = lower(i.email)))))
           WHERE (i.sha256 = accept_invitation.the_sha256)), caelus.current_user_id()) AS accept_invitations
 UNION ALL
  SELECT i.organization_id
    FROM (tenant.organization_invitations i
      JOIN tenant.organizations o ON (((o.id = i.organization_id) AND (o.deleted_at IS NULL))))
   WHERE ((i.sha256 = accept_invitation.the_sha256) AND (i.accepted_by = caelus.current_user_id()) AND (tenant.role_in(i.organization_id) IS NOT NULL));
END

tenant.accept_invitations(invitations uuid[], the_user uuid)
CREATE OR REPLACE FUNCTION tenant.accept_invitations(invitations uuid[], the_user uuid)
 RETURNS SETOF uuid
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH accepted AS (
          UPDATE tenant.organization_invitations i SET accepted_at = now(), accepted_by = accept_invitations.the_user
            FROM tenant.organizations o
           WHERE ((i.id = ANY (accept_invitations.invitations)) AND (o.id = i.organization_id) AND (o.deleted_at IS NULL) AND (i.accepted_at IS NULL) AND (i.revoked_at IS NULL) AND (i.expires_at > now()))
           RETURNING i.id,
             i.organization_id,
             i.role
         ), joined AS (
          INSERT INTO tenant.organization_members AS m (organization_id, user_id, role)  SELECT DISTINCT ON (accepted_1.organization_id) accepted_1.organization_id,
                     accept_invitations.the_user AS the_user,
                     accepted_1.role
                    FROM accepted accepted_1
                   ORDER BY accepted_1.organization_id, (array_position(ARRAY['owner'::text, 'member'::text, 'viewer'::text], accepted_1.role)) ON CONFLICT(organization_id, user_id) DO UPDATE SET role = excluded.role, generation = (m.generation + 1)
           WHERE (array_position(ARRAY['owner'::text, 'member'::text, 'viewer'::text], excluded.role) < array_position(ARRAY['owner'::text, 'member'::text, 'viewer'::text], m.role))
         ), noted AS (
          INSERT INTO caelus.audit (actor, action, object_kind, object_id, tenant, detail)  SELECT (accept_invitations.the_user)::text AS the_user,
                     'joined',
                     'Organization',
                     (accepted_1.organization_id)::text AS organization_id,
                     (accepted_1.organization_id)::text AS organization_id,
                     jsonb_build_object('user', accept_invitations.the_user, 'role', accepted_1.role, 'invitation', accepted_1.id) AS jsonb_build_object
                    FROM accepted accepted_1
         )
  SELECT accepted.organization_id
    FROM accepted;
END

tenant.accept_invitations_of(the_user uuid, the_email text)
CREATE OR REPLACE FUNCTION tenant.accept_invitations_of(the_user uuid, the_email text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  invitations uuid[] = array(
    select id from tenant.organization_invitations
    where lower(email) = lower(the_email) and accepted_at is null and revoked_at is null and expires_at > now());
begin
  if invitations <> '{}' then
    perform tenant.accept_invitations(invitations, the_user);
  end if;
end
$function$

tenant.cluster_apps_left(the_cluster uuid)
CREATE OR REPLACE FUNCTION tenant.cluster_apps_left(the_cluster uuid)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  -- The current user is the owner of the function. The caller is the role that the session has set, or its login.
  if (
    pg_has_role(coalesce(nullif(current_setting('role'), 'none'), session_user)::name, 'caelus_worker', 'member')
    or caelus.acts_as_admin()
    or exists (
      select from tenant.clusters c where c.id = the_cluster and c.organization_id::text = any (caelus.current_tenants()))
  ) is not true then
    raise insufficient_privilege using message = format('permission denied to count the apps of cluster %s', the_cluster);
  end if;
  return (
    select count(*) from caelus.deployment d join tenant.clusters c on c.id = d.cluster_id
    where c.id = the_cluster and d.status <> 'deleted' and not (
      d.deleted_at is not null
      and coalesce(d.unreachable_since < now() - interval '10 minutes', false)
      and coalesce(c.deleted < now() - interval '10 minutes', false)));
end
$function$

tenant.cluster_changed()
CREATE OR REPLACE FUNCTION tenant.cluster_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform tenant.request_sync(new.id, case
    when tg_op = 'INSERT' then 'ordered'
    when new.deleted is distinct from old.deleted then 'deletion asked for'
    when new.operation is distinct from old.operation then format('%s asked for', new.operation ->> 'kind')
    when new.is_hibernated is distinct from old.is_hibernated then
      case when new.is_hibernated then 'hibernation asked for' else 'waking up asked for' end
    else 'changed' end);
  return null;
end
$function$

tenant.create_organization(the_id uuid, the_name text)
CREATE OR REPLACE FUNCTION tenant.create_organization(the_id uuid, the_name text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 INSERT INTO tenant.organizations (id, name)
   VALUES (create_organization.the_id, create_organization.the_name);
 INSERT INTO tenant.organization_members (organization_id, user_id, role)
   VALUES (create_organization.the_id, caelus.current_user_id(), 'owner'::text);
END

tenant.guard_cluster()
CREATE OR REPLACE FUNCTION tenant.guard_cluster()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (new.id, new.organization_id, new.region, new.created)
    is distinct from (old.id, old.organization_id, old.region, old.created) then
    raise exception 'id, organization, region and creation of cluster % never change', old.id
      using errcode = 'insufficient_privilege';
  end if;
  -- Gardener may be asked to try the deletion again.
  if old.deleted is not null and to_jsonb(new) - 'operation' <> to_jsonb(old) - 'operation' then
    raise exception 'cluster % is being deleted', old.id using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$function$

tenant.keep_an_owner()
CREATE OR REPLACE FUNCTION tenant.keep_an_owner()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform from tenant.organizations where id = old.organization_id and deleted_at is null for update;
  if found and not exists (
    select from tenant.organization_members where organization_id = old.organization_id and role = 'owner'
  ) then
    raise exception 'organization % must have an owner', old.organization_id
      using errcode = 'check_violation', constraint = 'organization_has_owner';
  end if;
  return null;
end
$function$

tenant.lock_orders(organization uuid)
CREATE OR REPLACE FUNCTION tenant.lock_orders(organization uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if caelus.acts_as_admin() or tenant.role_in(organization) is not null then
    perform from tenant.organizations where id = organization and deleted_at is null for no key update;
    return found;
  end if;
  return false;
end
$function$

tenant.members_of(organization uuid)
CREATE OR REPLACE FUNCTION tenant.members_of(organization uuid)
 RETURNS TABLE(user_id uuid, email text, role text, generation bigint, created_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT m.user_id,
     u.email,
     m.role,
     m.generation,
     m.created_at
    FROM (tenant.organization_members m
      JOIN caelus."user" u ON ((u.id = m.user_id)))
   WHERE ((m.organization_id = members_of.organization) AND (caelus.acts_as_admin() OR (tenant.role_in(members_of.organization) IS NOT NULL)));
END

tenant.node_pool_changed()
CREATE OR REPLACE FUNCTION tenant.node_pool_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if tg_op = 'DELETE' then
    perform tenant.request_sync(old.cluster_id, format('node pool %s removed', old.name));
  else
    perform tenant.request_sync(new.cluster_id, format('node pool %s %s', new.name,
      case tg_op when 'INSERT' then 'added' else 'changed' end));
  end if;
  return null;
end
$function$

tenant.note_cluster_access(the_cluster uuid, instance text, seconds integer)
CREATE OR REPLACE FUNCTION tenant.note_cluster_access(the_cluster uuid, instance text, seconds integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if coalesce(instance = '' or length(instance) > 300 or instance ~ '[[:cntrl:]]', true)
    or coalesce(seconds not between 1 and 86400, true) then
    raise exception 'access by % for % seconds cannot be recorded', instance, seconds
      using errcode = 'invalid_parameter_value';
  end if;
  insert into caelus.audit (actor, action, object_kind, object_id, tenant, detail)
  select 'apps worker ' || instance, 'kubeconfig for apps', 'Cluster', c.id::text, c.organization_id::text,
    jsonb_build_object('seconds', seconds)
  from tenant.clusters c where c.id = the_cluster;
  if not found then
    raise exception 'there is no cluster %', the_cluster using errcode = 'no_data_found';
  end if;
end
$function$

tenant.put_deletion_first(the_cluster uuid, organization uuid)
CREATE OR REPLACE FUNCTION tenant.put_deletion_first(the_cluster uuid, organization uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH own AS (
          SELECT job.kind,
             job.id,
             job.turn
            FROM caelus.job
           WHERE ((job.queue = 'clusters'::text) AND (job.kind = 'Cluster'::text) AND (job.id = (put_deletion_first.the_cluster)::text) AND (job.turn IS NOT NULL) AND (job.lease_until IS NULL))
         ), first AS (
          SELECT j_1.kind,
             j_1.id,
             j_1.turn,
             own.turn AS last
            FROM (own
              JOIN caelus.job j_1 ON (((j_1.queue = 'clusters'::text) AND (j_1.tenant = (put_deletion_first.organization)::text) AND (j_1.priority = 0) AND (j_1.turn < own.turn) AND (j_1.reason <> 'deleted'::caelus.wake_reason) AND (j_1.lease_until IS NULL))))
           ORDER BY j_1.turn
          LIMIT 1
          FOR UPDATE OF j_1 SKIP LOCKED
         )
  UPDATE caelus.job j SET turn =
         CASE
             WHEN (j.id = first.id) THEN first.last
             ELSE first.turn
         END
    FROM first
   WHERE ((j.queue = 'clusters'::text) AND (j.kind = 'Cluster'::text) AND ((j.id = first.id) OR (j.id = (put_deletion_first.the_cluster)::text)));
END

tenant.request_sync(the_cluster uuid, why text)
CREATE OR REPLACE FUNCTION tenant.request_sync(the_cluster uuid, why text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  the_row tenant.clusters;
  reason caelus.wake_reason = 'changed';
begin
  select * into the_row from tenant.clusters where id = the_cluster;
  if not found then
    return;
  end if;
  if the_row.deleted is not null then
    reason = 'deleted';
  elsif the_row.created = date_trunc('milliseconds', now()) then
    reason = 'created';
  end if;
  -- First the job, then the state: workers lock in this order too, and would deadlock with the other.
  perform caelus.wake('clusters', 'Cluster', the_cluster::text, the_row.organization_id::text, reason);
  if reason = 'deleted' then
    perform tenant.put_deletion_first(the_cluster, the_row.organization_id);
  end if;
  perform pg_notify('cluster_sync', '');
  insert into tenant.cluster_sync as s (cluster_id, organization_id, name)
  values (the_cluster, the_row.organization_id, the_row.name)
  on conflict (cluster_id) do update set
    name = excluded.name, generation = s.generation + 1, requested_by = pg_current_xact_id(), synced = null,
    -- What failed before says nothing about the new generation.
    sync_error = null, sync_failure = null, sync_attempts = 0
    where s.requested_by <> pg_current_xact_id();
  if found then
    insert into tenant.cluster_events (cluster_id, organization_id, event_type, actor, message)
    values (the_cluster, the_row.organization_id, 'sync_requested',
      coalesce(caelus.current_user_id()::text, 'platform'), why);
  end if;
end
$function$

tenant.role_in(organization uuid)
CREATE OR REPLACE FUNCTION tenant.role_in(organization uuid)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT organization_members.role
    FROM tenant.organization_members
   WHERE ((organization_members.organization_id = role_in.organization) AND (organization_members.user_id = caelus.current_user_id()));
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
  generation bigint not null default 1
  constraint user_email_check CHECK ((email <> ''::text))
  constraint user_generation_check CHECK ((generation > 0))
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
  tenant text
  constraint audit_pkey PRIMARY KEY (id)
  row level security

caelus.chart_source
  id uuid not null default gen_random_uuid()
  host text collate "C" not null
  username text
  sealed_password text
  ca text
  created_at timestamp with time zone not null default date_trunc('milliseconds'::text, now())
  updated_at timestamp with time zone not null default date_trunc('milliseconds'::text, now())
  verification text not null default 'none'::text
  keyring text
  constraint chart_source_check CHECK (((username IS NULL) = (sealed_password IS NULL)))
  constraint chart_source_host_check CHECK (((host = lower(host)) AND (host <> ''::text)))
  constraint chart_source_host_key UNIQUE (host)
  constraint chart_source_pkey PRIMARY KEY (id)
  constraint chart_source_verification_check CHECK ((verification = ANY (ARRAY['none'::text, 'required'::text])))
  row level security

caelus.decision
  id bigint not null generated always as identity
  controller text not null
  kind text not null
  key_id text not null
  at timestamp with time zone not null
  fence bigint
  input json not null
  decision json not null
  tenant text
  masked text[]
  outcome text
  because text
  failure jsonb
  ms integer
  attempt integer
  digest bytea
  repeats integer not null default 0
  last_at timestamp with time zone
  constraint decision_pkey PRIMARY KEY (id)
  row level security

caelus.deployment
  id uuid not null default gen_random_uuid()
  deployment_uid text collate "C" not null
  namespace_name text collate "C" not null
  release_name text collate "C" not null
  user_id uuid not null
  domainname text collate "C" not null
  user_values_json jsonb not null default '{}'::jsonb
  sealed_values jsonb not null default '{}'::jsonb
  desired_template_id uuid not null
  applied_template_id uuid
  status text not null default 'pending'::text
  status_since timestamp with time zone not null default date_trunc('milliseconds'::text, now())
  generation bigint not null default 1
  observed_generation bigint not null default 0
  last_error jsonb
  last_reconcile_at timestamp with time zone
  next_reconcile_at timestamp with time zone
  created_at timestamp with time zone not null default date_trunc('milliseconds'::text, now())
  deleted_at timestamp with time zone
  status_generation bigint not null default 0
  retries bigint not null default 0
  rollout_json jsonb
  unrepairable_json jsonb not null default '[]'::jsonb
  suspended_at timestamp with time zone
  helm_revision bigint
  cluster_id uuid
  unreachable_since timestamp with time zone
  constraint deployment_applied_template_id_fkey FOREIGN KEY (applied_template_id) REFERENCES caelus.product_template_version(id)
  constraint deployment_check CHECK ((namespace_name = deployment_uid))
  constraint deployment_check1 CHECK ((release_name = deployment_uid))
  constraint deployment_check2 CHECK (((observed_generation >= 0) AND (observed_generation <= generation)))
  constraint deployment_check3 CHECK (((status <> 'deleted'::text) OR (deleted_at IS NOT NULL)))
  constraint deployment_check4 CHECK (((status_generation >= 0) AND (status_generation <= generation)))
  constraint deployment_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES tenant.clusters(id)
  constraint deployment_deployment_uid_check CHECK ((deployment_uid ~ '^[a-z0-9]([a-z0-9-]{0,51}[a-z0-9])?$'::text))
  constraint deployment_deployment_uid_key UNIQUE (deployment_uid)
  constraint deployment_desired_template_id_fkey FOREIGN KEY (desired_template_id) REFERENCES caelus.product_template_version(id)
  constraint deployment_domainname_check CHECK (((domainname = lower(domainname)) AND (domainname <> ''::text)))
  constraint deployment_generation_check CHECK ((generation > 0))
  constraint deployment_helm_revision_check CHECK ((helm_revision > 0))
  constraint deployment_last_error_check CHECK ((last_error ?& ARRAY['code'::text, 'message'::text, 'whoseMove'::text, 'retryable'::text, 'nextStep'::text]))
  constraint deployment_pkey PRIMARY KEY (id)
  constraint deployment_retries_check CHECK ((retries >= 0))
  constraint deployment_rollout_json_check CHECK ((jsonb_typeof(rollout_json) = 'object'::text))
  constraint deployment_sealed_values_check CHECK ((jsonb_typeof(sealed_values) = 'object'::text))
  constraint deployment_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'provisioning'::text, 'ready'::text, 'upgrading'::text, 'degraded'::text, 'stalled'::text, 'deleting'::text, 'deleted'::text, 'error'::text])))
  constraint deployment_unrepairable_json_check CHECK ((jsonb_typeof(unrepairable_json) = 'array'::text))
  constraint deployment_user_id_fkey FOREIGN KEY (user_id) REFERENCES caelus."user"(id)
  constraint deployment_user_values_json_check CHECK ((jsonb_typeof(user_values_json) = 'object'::text))
  row level security

caelus.deployment_limit
  user_id uuid not null
  most integer not null
  constraint deployment_limit_most_check CHECK ((most >= 0))
  constraint deployment_limit_pkey PRIMARY KEY (user_id)
  constraint deployment_limit_user_id_fkey FOREIGN KEY (user_id) REFERENCES caelus."user"(id)
  row level security

caelus.deployment_look
  deployment_id uuid not null
  digest text not null
  kinds text[] not null
  fingerprint text not null
  seen jsonb not null
  looked_at timestamp with time zone not null
  constraint deployment_look_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES caelus.deployment(id) ON DELETE CASCADE
  constraint deployment_look_pkey PRIMARY KEY (deployment_id)
  constraint deployment_look_seen_check CHECK ((jsonb_typeof(seen) = 'object'::text))
  row level security

caelus.deployment_revision
  deployment_id uuid not null
  generation bigint not null
  template_id uuid not null
  domainname text not null
  user_values_json jsonb not null
  sealed_values jsonb not null
  changed_by text not null
  rolled_back_to bigint
  outcome text
  failure_code text
  helm_revision bigint
  created_at timestamp with time zone not null default date_trunc('milliseconds'::text, now())
  constraint deployment_revision_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES caelus.deployment(id) ON DELETE CASCADE
  constraint deployment_revision_generation_check CHECK ((generation > 0))
  constraint deployment_revision_outcome_check CHECK ((outcome = ANY (ARRAY['ready'::text, 'failed'::text, 'rolled_back'::text, 'superseded'::text])))
  constraint deployment_revision_pkey PRIMARY KEY (deployment_id, generation)
  constraint deployment_revision_sealed_values_check CHECK ((jsonb_typeof(sealed_values) = 'object'::text))
  constraint deployment_revision_template_id_fkey FOREIGN KEY (template_id) REFERENCES caelus.product_template_version(id)
  constraint deployment_revision_user_values_json_check CHECK ((jsonb_typeof(user_values_json) = 'object'::text))
  row level security

caelus.frozen_tenant
  queue text not null
  tenant text not null
  frozen_by text not null
  why text not null
  frozen_at timestamp with time zone not null default now()
  constraint frozen_tenant_pkey PRIMARY KEY (queue, tenant)
  row level security

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

caelus.installation
  single boolean not null default true
  digest_salt text not null default ((gen_random_uuid())::text || (gen_random_uuid())::text)
  constraint installation_pkey PRIMARY KEY (single)
  constraint installation_single_check CHECK (single)

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
  number bigint not null generated always as identity
  ended_at timestamp with time zone
  lapses integer not null default 0
  constraint job_pkey PRIMARY KEY (queue, kind, id)
  with (fillfactor=40, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_delay=0, autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=2000)
  row level security

caelus.job_history
  fence bigint not null
  queue text collate "C" not null
  kind text collate "C" not null
  id text collate "C" not null
  tenant text not null
  reason caelus.wake_reason not null
  attempt integer not null
  worker text not null
  woken_at timestamp with time zone not null
  claimed_at timestamp with time zone not null
  finished_at timestamp with time zone not null default now()
  number bigint not null
  constraint job_history_pkey PRIMARY KEY (fence)
  row level security

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

caelus.owned_domain
  suffix text not null
  user_id uuid not null
  created_at timestamp with time zone not null default date_trunc('milliseconds'::text, now())
  constraint owned_domain_pkey PRIMARY KEY (suffix)
  constraint owned_domain_suffix_check CHECK (((suffix = lower(suffix)) AND (suffix <> ''::text)))
  constraint owned_domain_user_id_fkey FOREIGN KEY (user_id) REFERENCES caelus."user"(id)
  row level security

caelus.product
  id uuid not null default gen_random_uuid()
  name text not null
  description text
  template_id uuid
  icon text
  created_at timestamp with time zone not null default date_trunc('milliseconds'::text, now())
  deleted_at timestamp with time zone
  generation bigint not null default 1
  constraint product_generation_check CHECK ((generation > 0))
  constraint product_id_template_id_fkey FOREIGN KEY (id, template_id) REFERENCES caelus.product_template_version(product_id, id)
  constraint product_name_check CHECK ((name <> ''::text))
  constraint product_pkey PRIMARY KEY (id)
  row level security

caelus.product_template_version
  id uuid not null default gen_random_uuid()
  product_id uuid not null
  package_type text not null default 'helm-chart'::text
  chart_ref text not null
  chart_version text not null
  chart_digest text
  version_label text
  default_values_json jsonb not null
  values_schema_json json
  capabilities_json jsonb not null default '{}'::jsonb
  health_timeout_sec integer not null default 600
  created_at timestamp with time zone not null default date_trunc('milliseconds'::text, now())
  deleted_at timestamp with time zone
  overrides_json jsonb
  layout_json jsonb
  inspection_json jsonb
  drift_ignore_json jsonb
  signed_by_json jsonb
  constraint product_template_version_capabilities_json_check CHECK ((jsonb_typeof(capabilities_json) = 'object'::text))
  constraint product_template_version_chart_digest_check CHECK ((chart_digest ~ '^sha256:[0-9a-f]{64}$'::text))
  constraint product_template_version_default_values_json_check CHECK ((jsonb_typeof(default_values_json) = 'object'::text))
  constraint product_template_version_drift_ignore_json_check CHECK ((jsonb_typeof(drift_ignore_json) = 'array'::text))
  constraint product_template_version_health_timeout_sec_check CHECK ((health_timeout_sec > 0))
  constraint product_template_version_inspection_json_check CHECK ((jsonb_typeof(inspection_json) = 'object'::text))
  constraint product_template_version_layout_json_check CHECK ((jsonb_typeof(layout_json) = 'object'::text))
  constraint product_template_version_overrides_json_check CHECK ((jsonb_typeof(overrides_json) = 'object'::text))
  constraint product_template_version_package_type_check CHECK ((package_type = 'helm-chart'::text))
  constraint product_template_version_pkey PRIMARY KEY (id)
  constraint product_template_version_product_id_fkey FOREIGN KEY (product_id) REFERENCES caelus.product(id)
  constraint product_template_version_product_id_id_key UNIQUE (product_id, id)
  constraint product_template_version_signed_by_json_check CHECK ((jsonb_typeof(signed_by_json) = 'object'::text))
  constraint product_template_version_values_schema_json_check CHECK ((json_typeof(values_schema_json) = 'object'::text))
  row level security

caelus.template_grant
  id uuid not null default gen_random_uuid()
  template_id uuid not null
  api_group text not null
  kind text not null
  name text not null
  objects_json jsonb not null
  granted_at timestamp with time zone not null default date_trunc('milliseconds'::text, now())
  revoked_at timestamp with time zone
  constraint template_grant_objects_json_check CHECK ((jsonb_typeof(objects_json) = 'array'::text))
  constraint template_grant_pkey PRIMARY KEY (id)
  constraint template_grant_template_id_fkey FOREIGN KEY (template_id) REFERENCES caelus.product_template_version(id)
  row level security

caelus.unsent_change
  object jsonb not null
  notice jsonb not null
  constraint unsent_change_pkey PRIMARY KEY (object)
  row level security

tenant.cluster_events
  id bigint not null generated always as identity
  cluster_id uuid not null
  organization_id uuid not null
  event_type text not null
  actor text not null
  message text
  attempt integer
  created timestamp with time zone not null default date_trunc('milliseconds'::text, now())
  constraint cluster_events_cluster_id_organization_id_fkey FOREIGN KEY (cluster_id, organization_id) REFERENCES tenant.clusters(id, organization_id) ON DELETE CASCADE
  constraint cluster_events_event_type_check CHECK ((event_type = ANY (ARRAY['sync_requested'::text, 'sync_claimed'::text, 'sync_succeeded'::text, 'sync_failed'::text, 'status_progressing'::text, 'status_ready'::text, 'status_error'::text, 'status_deleting'::text, 'status_deleted'::text])))
  constraint cluster_events_pkey PRIMARY KEY (id)
  row level security

tenant.cluster_sync
  cluster_id uuid not null
  organization_id uuid not null
  name text collate "C" not null
  generation bigint not null default 1
  requested_by xid8 not null default pg_current_xact_id()
  synced_generation bigint not null default 0
  synced timestamp with time zone
  sync_error text
  sync_failure jsonb
  sync_attempts integer not null default 0
  sync_last_attempt timestamp with time zone
  shoot_status text not null default 'pending'::text
  shoot_status_message text
  shoot_status_failure jsonb
  shoot_status_updated timestamp with time zone not null default date_trunc('milliseconds'::text, now())
  shoot jsonb
  shoot_retries integer not null default 0
  closed_operation text
  constraint cluster_sync_check CHECK (((synced_generation >= 0) AND (synced_generation <= generation)))
  constraint cluster_sync_cluster_id_organization_id_fkey FOREIGN KEY (cluster_id, organization_id) REFERENCES tenant.clusters(id, organization_id) ON DELETE CASCADE
  constraint cluster_sync_generation_check CHECK ((generation > 0))
  constraint cluster_sync_pkey PRIMARY KEY (cluster_id)
  constraint cluster_sync_shoot_check CHECK ((jsonb_typeof(shoot) = 'object'::text))
  constraint cluster_sync_shoot_retries_check CHECK ((shoot_retries >= 0))
  constraint cluster_sync_shoot_status_check CHECK ((shoot_status = ANY (ARRAY['pending'::text, 'progressing'::text, 'ready'::text, 'error'::text, 'deleting'::text, 'deleted'::text])))
  constraint cluster_sync_shoot_status_failure_check CHECK ((shoot_status_failure ?& ARRAY['code'::text, 'message'::text, 'whoseMove'::text, 'retryable'::text, 'nextStep'::text]))
  constraint cluster_sync_sync_attempts_check CHECK ((sync_attempts >= 0))
  constraint cluster_sync_sync_failure_check CHECK ((sync_failure ?& ARRAY['code'::text, 'message'::text, 'whoseMove'::text, 'retryable'::text, 'nextStep'::text]))
  row level security

tenant.cluster_watch
  instance text not null
  seen timestamp with time zone not null default now()
  constraint cluster_watch_pkey PRIMARY KEY (instance)
  row level security

tenant.clusters
  id uuid not null default gen_random_uuid()
  organization_id uuid not null
  name text collate "C" not null
  region text collate "C" not null
  kubernetes_version text collate "C" not null
  is_hibernated boolean not null default false
  maintenance jsonb
  operation jsonb
  created timestamp with time zone not null default date_trunc('milliseconds'::text, now())
  deleted timestamp with time zone
  constraint clusters_id_organization_id_key UNIQUE (id, organization_id)
  constraint clusters_kubernetes_version_check CHECK ((kubernetes_version ~ '^[0-9]+\.[0-9]+(\.[0-9]+)?$'::text))
  constraint clusters_maintenance_check CHECK ((maintenance ?& ARRAY['begin'::text, 'end'::text, 'update_kubernetes'::text, 'update_machine_image'::text]))
  constraint clusters_name_check CHECK ((name ~ '^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$'::text))
  constraint clusters_operation_check CHECK ((operation ?& ARRAY['id'::text, 'kind'::text, 'requested_at'::text]))
  constraint clusters_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES tenant.organizations(id)
  constraint clusters_pkey PRIMARY KEY (id)
  constraint clusters_region_check CHECK ((region <> ''::text))
  row level security

tenant.node_pools
  id uuid not null default gen_random_uuid()
  cluster_id uuid not null
  organization_id uuid not null
  name text collate "C" not null
  machine_type text collate "C" not null
  autoscale_min integer not null
  autoscale_max integer not null
  created timestamp with time zone not null default date_trunc('milliseconds'::text, now())
  constraint node_pools_autoscale_min_check CHECK ((autoscale_min >= 0))
  constraint node_pools_check CHECK (((autoscale_max >= GREATEST(autoscale_min, 1)) AND (autoscale_max <= 10000)))
  constraint node_pools_cluster_id_name_key UNIQUE (cluster_id, name)
  constraint node_pools_cluster_id_organization_id_fkey FOREIGN KEY (cluster_id, organization_id) REFERENCES tenant.clusters(id, organization_id)
  constraint node_pools_machine_type_check CHECK ((machine_type <> ''::text))
  constraint node_pools_name_check CHECK ((name ~ '^[a-z]([a-z0-9-]{0,13}[a-z0-9])?$'::text))
  constraint node_pools_pkey PRIMARY KEY (id)
  row level security

tenant.organization_invitations
  id uuid not null default gen_random_uuid()
  organization_id uuid not null
  email text not null
  role text not null
  sha256 bytea not null
  invited_by uuid
  created_at timestamp with time zone not null default date_trunc('milliseconds'::text, now())
  expires_at timestamp with time zone not null
  accepted_at timestamp with time zone
  accepted_by uuid
  revoked_at timestamp with time zone
  constraint organization_invitations_accepted_by_fkey FOREIGN KEY (accepted_by) REFERENCES caelus."user"(id)
  constraint organization_invitations_email_check CHECK ((email <> ''::text))
  constraint organization_invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES caelus."user"(id)
  constraint organization_invitations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES tenant.organizations(id)
  constraint organization_invitations_pkey PRIMARY KEY (id)
  constraint organization_invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'member'::text, 'viewer'::text])))
  constraint organization_invitations_sha256_check CHECK ((octet_length(sha256) = 32))
  constraint organization_invitations_sha256_key UNIQUE (sha256)
  row level security

tenant.organization_limits
  organization_id uuid not null
  max_clusters integer
  max_nodes integer
  regions text[]
  machine_types text[]
  generation bigint not null default 1
  constraint organization_limits_generation_check CHECK ((generation > 0))
  constraint organization_limits_machine_types_check CHECK ((machine_types <> '{}'::text[]))
  constraint organization_limits_max_clusters_check CHECK ((max_clusters >= 0))
  constraint organization_limits_max_nodes_check CHECK ((max_nodes >= 0))
  constraint organization_limits_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES tenant.organizations(id) ON DELETE CASCADE
  constraint organization_limits_pkey PRIMARY KEY (organization_id)
  constraint organization_limits_regions_check CHECK ((regions <> '{}'::text[]))
  row level security

tenant.organization_members
  organization_id uuid not null
  user_id uuid not null
  role text not null
  generation bigint not null default 1
  created_at timestamp with time zone not null default date_trunc('milliseconds'::text, now())
  constraint organization_members_generation_check CHECK ((generation > 0))
  constraint organization_members_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES tenant.organizations(id)
  constraint organization_members_pkey PRIMARY KEY (organization_id, user_id)
  constraint organization_members_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'member'::text, 'viewer'::text])))
  constraint organization_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES caelus."user"(id)
  row level security

tenant.organizations
  id uuid not null default gen_random_uuid()
  name text not null
  generation bigint not null default 1
  created_at timestamp with time zone not null default date_trunc('milliseconds'::text, now())
  deleted_at timestamp with time zone
  constraint organizations_generation_check CHECK ((generation > 0))
  constraint organizations_name_check CHECK ((name <> ''::text))
  constraint organizations_pkey PRIMARY KEY (id)
  row level security

-- views

caelus.deployment_reconcile_job
 SELECT open_reconcile_job.id,
    open_reconcile_job.deployment_id,
    open_reconcile_job.reason,
    open_reconcile_job.run_after,
    open_reconcile_job.attempt,
    open_reconcile_job.status,
    open_reconcile_job.locked_by,
    open_reconcile_job.locked_at,
    open_reconcile_job.lease_until,
    open_reconcile_job.fence,
    open_reconcile_job.last_error,
    open_reconcile_job.created_at,
    open_reconcile_job.updated_at
   FROM caelus.open_reconcile_job
UNION ALL
 SELECT done_reconcile_job.id,
    done_reconcile_job.deployment_id,
    done_reconcile_job.reason,
    done_reconcile_job.run_after,
    done_reconcile_job.attempt,
    done_reconcile_job.status,
    done_reconcile_job.locked_by,
    done_reconcile_job.locked_at,
    done_reconcile_job.lease_until,
    done_reconcile_job.fence,
    done_reconcile_job.last_error,
    done_reconcile_job.created_at,
    done_reconcile_job.updated_at
   FROM caelus.done_reconcile_job;

caelus.done_reconcile_job
 SELECT number AS id,
    id AS deployment_id,
    caelus.job_reason(reason) AS reason,
    woken_at AS run_after,
    attempt,
    'done'::text AS status,
    worker AS locked_by,
    claimed_at AS locked_at,
    NULL::timestamp with time zone AS lease_until,
    fence,
    NULL::jsonb AS last_error,
    woken_at AS created_at,
    finished_at AS updated_at
   FROM caelus.job_history
  WHERE ((queue = 'apps'::text) AND (kind = 'Deployment'::text));

caelus.open_reconcile_job
 SELECT number AS id,
    id AS deployment_id,
    caelus.job_reason(reason) AS reason,
        CASE
            WHEN (due_at = 'infinity'::timestamp with time zone) THEN COALESCE(ended_at, woken_at)
            ELSE due_at
        END AS run_after,
    attempt,
        CASE
            WHEN (lease_until IS NOT NULL) THEN 'running'::text
            WHEN (due_at = 'infinity'::timestamp with time zone) THEN 'failed'::text
            ELSE 'queued'::text
        END AS status,
    locked_by,
    claimed_at AS locked_at,
    lease_until,
    fence,
    failure AS last_error,
    woken_at AS created_at,
    GREATEST(woken_at, claimed_at, ended_at) AS updated_at
   FROM caelus.job
  WHERE ((queue = 'apps'::text) AND (kind = 'Deployment'::text));

tenant.cluster_claims
 SELECT id AS cluster_id,
    locked_by AS claimed_by,
    claimed_at,
    lease_until AS claimed_until,
    fence,
    attempt,
        CASE
            WHEN (lease_until IS NOT NULL) THEN NULL::timestamp with time zone
            WHEN (due_at = 'infinity'::timestamp with time zone) THEN NULL::timestamp with time zone
            ELSE due_at
        END AS due_at,
    waiting_for,
    failure
   FROM caelus.job
  WHERE ((queue = 'clusters'::text) AND (kind = 'Cluster'::text));

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

caelus.chart_source_host_key
CREATE UNIQUE INDEX chart_source_host_key ON caelus.chart_source USING btree (host)

caelus.chart_source_pkey
CREATE UNIQUE INDEX chart_source_pkey ON caelus.chart_source USING btree (id)

caelus.decision_age
CREATE INDEX decision_age ON caelus.decision USING brin (at)

caelus.decision_controller
CREATE INDEX decision_controller ON caelus.decision USING btree (controller, id)

caelus.decision_key
CREATE INDEX decision_key ON caelus.decision USING btree (key_id, kind, id)

caelus.decision_kind
CREATE INDEX decision_kind ON caelus.decision USING btree (kind, id)

caelus.decision_outcome
CREATE INDEX decision_outcome ON caelus.decision USING btree (outcome, id)

caelus.decision_pkey
CREATE UNIQUE INDEX decision_pkey ON caelus.decision USING btree (id)

caelus.deployment_age
CREATE INDEX deployment_age ON caelus.deployment USING btree (created_at, id)

caelus.deployment_cluster
CREATE INDEX deployment_cluster ON caelus.deployment USING btree (cluster_id, id) WHERE ((cluster_id IS NOT NULL) AND (status <> 'deleted'::text))

caelus.deployment_deployment_uid_key
CREATE UNIQUE INDEX deployment_deployment_uid_key ON caelus.deployment USING btree (deployment_uid)

caelus.deployment_domain
CREATE UNIQUE INDEX deployment_domain ON caelus.deployment USING btree (domainname) WHERE (status <> 'deleted'::text)

caelus.deployment_limit_pkey
CREATE UNIQUE INDEX deployment_limit_pkey ON caelus.deployment_limit USING btree (user_id)

caelus.deployment_look_pkey
CREATE UNIQUE INDEX deployment_look_pkey ON caelus.deployment_look USING btree (deployment_id)

caelus.deployment_pkey
CREATE UNIQUE INDEX deployment_pkey ON caelus.deployment USING btree (id)

caelus.deployment_revision_pkey
CREATE UNIQUE INDEX deployment_revision_pkey ON caelus.deployment_revision USING btree (deployment_id, generation)

caelus.deployment_template
CREATE INDEX deployment_template ON caelus.deployment USING btree (desired_template_id) WHERE (status <> 'deleted'::text)

caelus.deployment_user
CREATE INDEX deployment_user ON caelus.deployment USING btree (user_id, created_at, id)

caelus.frozen_tenant_pkey
CREATE UNIQUE INDEX frozen_tenant_pkey ON caelus.frozen_tenant USING btree (queue, tenant)

caelus.idempotency_key_age
CREATE INDEX idempotency_key_age ON caelus.idempotency_key USING btree (created_at)

caelus.idempotency_key_pkey
CREATE UNIQUE INDEX idempotency_key_pkey ON caelus.idempotency_key USING btree (user_id, key)

caelus.installation_pkey
CREATE UNIQUE INDEX installation_pkey ON caelus.installation USING btree (single)

caelus.job_history_age
CREATE INDEX job_history_age ON caelus.job_history USING brin (finished_at)

caelus.job_history_key
CREATE INDEX job_history_key ON caelus.job_history USING btree (queue, kind, id, finished_at)

caelus.job_history_number
CREATE INDEX job_history_number ON caelus.job_history USING btree (number)

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

caelus.owned_domain_pkey
CREATE UNIQUE INDEX owned_domain_pkey ON caelus.owned_domain USING btree (suffix)

caelus.owned_domain_user
CREATE INDEX owned_domain_user ON caelus.owned_domain USING btree (user_id)

caelus.product_name
CREATE UNIQUE INDEX product_name ON caelus.product USING btree (lower(name)) WHERE (deleted_at IS NULL)

caelus.product_pkey
CREATE UNIQUE INDEX product_pkey ON caelus.product USING btree (id)

caelus.product_template_version_age
CREATE INDEX product_template_version_age ON caelus.product_template_version USING btree (product_id, created_at, id)

caelus.product_template_version_label
CREATE UNIQUE INDEX product_template_version_label ON caelus.product_template_version USING btree (product_id, lower(version_label)) WHERE (deleted_at IS NULL)

caelus.product_template_version_pkey
CREATE UNIQUE INDEX product_template_version_pkey ON caelus.product_template_version USING btree (id)

caelus.product_template_version_product_id_id_key
CREATE UNIQUE INDEX product_template_version_product_id_id_key ON caelus.product_template_version USING btree (product_id, id)

caelus.template_grant_pkey
CREATE UNIQUE INDEX template_grant_pkey ON caelus.template_grant USING btree (id)

caelus.template_grant_standing
CREATE UNIQUE INDEX template_grant_standing ON caelus.template_grant USING btree (template_id, api_group, kind, name) WHERE (revoked_at IS NULL)

caelus.template_grant_template
CREATE INDEX template_grant_template ON caelus.template_grant USING btree (template_id)

caelus.unsent_change_pkey
CREATE UNIQUE INDEX unsent_change_pkey ON caelus.unsent_change USING btree (object)

caelus.user_email
CREATE UNIQUE INDEX user_email ON caelus."user" USING btree (lower(email))

caelus.user_pkey
CREATE UNIQUE INDEX user_pkey ON caelus."user" USING btree (id)

caelus.user_subject_key
CREATE UNIQUE INDEX user_subject_key ON caelus."user" USING btree (subject)

tenant.cluster_events_age
CREATE INDEX cluster_events_age ON tenant.cluster_events USING btree (cluster_id, id)

tenant.cluster_events_pkey
CREATE UNIQUE INDEX cluster_events_pkey ON tenant.cluster_events USING btree (id)

tenant.cluster_sync_pkey
CREATE UNIQUE INDEX cluster_sync_pkey ON tenant.cluster_sync USING btree (cluster_id)

tenant.cluster_watch_pkey
CREATE UNIQUE INDEX cluster_watch_pkey ON tenant.cluster_watch USING btree (instance)

tenant.clusters_age
CREATE INDEX clusters_age ON tenant.clusters USING btree (organization_id, created, id)

tenant.clusters_id_organization_id_key
CREATE UNIQUE INDEX clusters_id_organization_id_key ON tenant.clusters USING btree (id, organization_id)

tenant.clusters_name
CREATE UNIQUE INDEX clusters_name ON tenant.clusters USING btree (organization_id, name) WHERE (deleted IS NULL)

tenant.clusters_pkey
CREATE UNIQUE INDEX clusters_pkey ON tenant.clusters USING btree (id)

tenant.node_pools_cluster_id_name_key
CREATE UNIQUE INDEX node_pools_cluster_id_name_key ON tenant.node_pools USING btree (cluster_id, name)

tenant.node_pools_pkey
CREATE UNIQUE INDEX node_pools_pkey ON tenant.node_pools USING btree (id)

tenant.organization_invitations_age
CREATE INDEX organization_invitations_age ON tenant.organization_invitations USING btree (organization_id, created_at, id)

tenant.organization_invitations_email
CREATE INDEX organization_invitations_email ON tenant.organization_invitations USING btree (lower(email)) WHERE ((accepted_at IS NULL) AND (revoked_at IS NULL))

tenant.organization_invitations_open
CREATE UNIQUE INDEX organization_invitations_open ON tenant.organization_invitations USING btree (organization_id, lower(email)) WHERE ((accepted_at IS NULL) AND (revoked_at IS NULL))

tenant.organization_invitations_pkey
CREATE UNIQUE INDEX organization_invitations_pkey ON tenant.organization_invitations USING btree (id)

tenant.organization_invitations_sha256_key
CREATE UNIQUE INDEX organization_invitations_sha256_key ON tenant.organization_invitations USING btree (sha256)

tenant.organization_limits_pkey
CREATE UNIQUE INDEX organization_limits_pkey ON tenant.organization_limits USING btree (organization_id)

tenant.organization_members_pkey
CREATE UNIQUE INDEX organization_members_pkey ON tenant.organization_members USING btree (organization_id, user_id)

tenant.organization_members_user
CREATE INDEX organization_members_user ON tenant.organization_members USING btree (user_id)

tenant.organizations_age
CREATE INDEX organizations_age ON tenant.organizations USING btree (created_at, id)

tenant.organizations_name
CREATE UNIQUE INDEX organizations_name ON tenant.organizations USING btree (lower(name)) WHERE (deleted_at IS NULL)

tenant.organizations_pkey
CREATE UNIQUE INDEX organizations_pkey ON tenant.organizations USING btree (id)

-- triggers

caelus."user" next_generation
CREATE TRIGGER next_generation BEFORE UPDATE ON caelus."user" FOR EACH ROW WHEN (((old.email IS DISTINCT FROM new.email) OR (old.is_admin IS DISTINCT FROM new.is_admin))) EXECUTE FUNCTION caelus.next_generation()

caelus.audit audit_only_grows
CREATE TRIGGER audit_only_grows BEFORE DELETE OR UPDATE OR TRUNCATE ON caelus.audit FOR EACH STATEMENT EXECUTE FUNCTION caelus.refuse_change()

caelus.decision decision_added
CREATE TRIGGER decision_added AFTER INSERT ON caelus.decision REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION caelus.notify_decisions()

caelus.deployment cluster_insert_notice
CREATE TRIGGER cluster_insert_notice AFTER INSERT ON caelus.deployment FOR EACH ROW WHEN ((new.cluster_id IS NOT NULL)) EXECUTE FUNCTION caelus.notify_cluster_app()

caelus.deployment cluster_update_notice
CREATE TRIGGER cluster_update_notice AFTER UPDATE OF status ON caelus.deployment FOR EACH ROW WHEN (((new.cluster_id IS NOT NULL) AND (new.status IS DISTINCT FROM old.status))) EXECUTE FUNCTION caelus.notify_cluster_app()

caelus.deployment deployment_has_cluster
CREATE TRIGGER deployment_has_cluster BEFORE INSERT ON caelus.deployment FOR EACH ROW WHEN ((new.cluster_id IS NOT NULL)) EXECUTE FUNCTION caelus.guard_deployment_cluster()

caelus.deployment deployment_is_guarded
CREATE TRIGGER deployment_is_guarded BEFORE UPDATE ON caelus.deployment FOR EACH ROW EXECUTE FUNCTION caelus.guard_deployment()

caelus.deployment deployment_left_cluster
CREATE TRIGGER deployment_left_cluster AFTER UPDATE OF status ON caelus.deployment FOR EACH ROW WHEN (((new.cluster_id IS NOT NULL) AND (new.status = 'deleted'::text) AND (old.status <> 'deleted'::text))) EXECUTE FUNCTION caelus.deployment_left_cluster()

caelus.deployment deployment_stays_in_place
CREATE TRIGGER deployment_stays_in_place BEFORE UPDATE OF cluster_id ON caelus.deployment FOR EACH ROW WHEN ((new.cluster_id IS DISTINCT FROM old.cluster_id)) EXECUTE FUNCTION caelus.guard_deployment_place()

caelus.deployment insert_notice
CREATE TRIGGER insert_notice AFTER INSERT ON caelus.deployment FOR EACH ROW EXECUTE FUNCTION caelus.notify_change('apps', 'Deployment', 'id', 'user_id', 'deployment_uid', 'status', 'last_error.code')

caelus.deployment keep_first_revision
CREATE TRIGGER keep_first_revision AFTER INSERT ON caelus.deployment FOR EACH ROW EXECUTE FUNCTION caelus.keep_revision()

caelus.deployment keep_revision
CREATE TRIGGER keep_revision AFTER UPDATE ON caelus.deployment FOR EACH ROW WHEN ((old.generation <> new.generation)) EXECUTE FUNCTION caelus.keep_revision()

caelus.deployment suspension_notice
CREATE TRIGGER suspension_notice AFTER UPDATE OF suspended_at ON caelus.deployment FOR EACH ROW WHEN ((old.suspended_at IS DISTINCT FROM new.suspended_at)) EXECUTE FUNCTION caelus.notify_change('apps', 'Deployment', 'id', 'user_id', 'deployment_uid', 'status', 'last_error.code')

caelus.deployment unreachable_since
CREATE TRIGGER unreachable_since BEFORE UPDATE OF last_error ON caelus.deployment FOR EACH ROW EXECUTE FUNCTION caelus.note_unreachable()

caelus.deployment update_notice
CREATE TRIGGER update_notice AFTER UPDATE ON caelus.deployment FOR EACH ROW WHEN ((((((((old.status IS DISTINCT FROM new.status) OR (old.generation IS DISTINCT FROM new.generation)) OR (old.observed_generation IS DISTINCT FROM new.observed_generation)) OR (old.status_generation IS DISTINCT FROM new.status_generation)) OR (old.applied_template_id IS DISTINCT FROM new.applied_template_id)) OR (old.last_error IS DISTINCT FROM new.last_error)) OR (old.unrepairable_json IS DISTINCT FROM new.unrepairable_json))) EXECUTE FUNCTION caelus.notify_change('apps', 'Deployment', 'id', 'user_id', 'deployment_uid', 'status', 'last_error.code')

caelus.product change_notice
CREATE TRIGGER change_notice AFTER INSERT OR UPDATE ON caelus.product FOR EACH ROW EXECUTE FUNCTION caelus.notify_change('apps', 'Product', 'id', '')

caelus.product next_generation
CREATE TRIGGER next_generation BEFORE UPDATE ON caelus.product FOR EACH ROW WHEN (((((old.name IS DISTINCT FROM new.name) OR (old.description IS DISTINCT FROM new.description)) OR (old.icon IS DISTINCT FROM new.icon)) OR (old.template_id IS DISTINCT FROM new.template_id))) EXECUTE FUNCTION caelus.next_generation()

caelus.product_template_version change_notice
CREATE TRIGGER change_notice AFTER INSERT OR UPDATE ON caelus.product_template_version FOR EACH ROW EXECUTE FUNCTION caelus.notify_change('apps', 'Template', 'id', '')

caelus.product_template_version template_never_changes
CREATE TRIGGER template_never_changes BEFORE UPDATE ON caelus.product_template_version FOR EACH ROW EXECUTE FUNCTION caelus.refuse_change_except('deleted_at')

caelus.template_grant change_notice
CREATE TRIGGER change_notice AFTER INSERT OR UPDATE ON caelus.template_grant FOR EACH ROW EXECUTE FUNCTION caelus.notify_change('apps', 'Template', 'template_id', '')

caelus.template_grant grant_never_changes
CREATE TRIGGER grant_never_changes BEFORE UPDATE ON caelus.template_grant FOR EACH ROW EXECUTE FUNCTION caelus.refuse_change_except('revoked_at')

tenant.cluster_sync insert_notice
CREATE TRIGGER insert_notice AFTER INSERT ON tenant.cluster_sync FOR EACH ROW EXECUTE FUNCTION caelus.notify_change('clusters', 'Cluster', 'cluster_id', 'organization_id', 'name', 'shoot_status', 'sync_failure.code')

tenant.cluster_sync update_notice
CREATE TRIGGER update_notice AFTER UPDATE ON tenant.cluster_sync FOR EACH ROW WHEN (((((((((((old.name IS DISTINCT FROM new.name) OR (old.generation IS DISTINCT FROM new.generation)) OR (old.synced_generation IS DISTINCT FROM new.synced_generation)) OR (old.synced IS DISTINCT FROM new.synced)) OR (old.sync_failure IS DISTINCT FROM new.sync_failure)) OR (old.sync_attempts IS DISTINCT FROM new.sync_attempts)) OR (old.shoot_status IS DISTINCT FROM new.shoot_status)) OR (old.shoot_status_message IS DISTINCT FROM new.shoot_status_message)) OR (old.shoot_status_failure IS DISTINCT FROM new.shoot_status_failure)) OR (old.shoot IS DISTINCT FROM new.shoot))) EXECUTE FUNCTION caelus.notify_change('clusters', 'Cluster', 'cluster_id', 'organization_id', 'name', 'shoot_status', 'sync_failure.code')

tenant.clusters cluster_is_changed
CREATE TRIGGER cluster_is_changed AFTER UPDATE ON tenant.clusters FOR EACH ROW WHEN (((((((old.name IS DISTINCT FROM new.name) OR (old.kubernetes_version IS DISTINCT FROM new.kubernetes_version)) OR (old.is_hibernated IS DISTINCT FROM new.is_hibernated)) OR (old.maintenance IS DISTINCT FROM new.maintenance)) OR (old.operation IS DISTINCT FROM new.operation)) OR (old.deleted IS DISTINCT FROM new.deleted))) EXECUTE FUNCTION tenant.cluster_changed()

tenant.clusters cluster_is_guarded
CREATE TRIGGER cluster_is_guarded BEFORE UPDATE ON tenant.clusters FOR EACH ROW EXECUTE FUNCTION tenant.guard_cluster()

tenant.clusters cluster_is_new
CREATE TRIGGER cluster_is_new AFTER INSERT ON tenant.clusters FOR EACH ROW EXECUTE FUNCTION tenant.cluster_changed()

tenant.node_pools node_pool_is_changed
CREATE TRIGGER node_pool_is_changed AFTER UPDATE ON tenant.node_pools FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION tenant.node_pool_changed()

tenant.node_pools node_pool_is_new_or_gone
CREATE TRIGGER node_pool_is_new_or_gone AFTER INSERT OR DELETE ON tenant.node_pools FOR EACH ROW EXECUTE FUNCTION tenant.node_pool_changed()

tenant.organization_invitations change_notice
CREATE TRIGGER change_notice AFTER INSERT OR UPDATE ON tenant.organization_invitations FOR EACH ROW EXECUTE FUNCTION caelus.notify_change('organizations', 'Invitation', 'id', 'organization_id')

tenant.organization_members change_notice
CREATE TRIGGER change_notice AFTER INSERT OR DELETE OR UPDATE ON tenant.organization_members FOR EACH ROW EXECUTE FUNCTION caelus.notify_change('organizations', 'Member', 'user_id', 'organization_id', 'role')

tenant.organization_members organization_keeps_an_owner
CREATE TRIGGER organization_keeps_an_owner AFTER DELETE OR UPDATE ON tenant.organization_members FOR EACH ROW WHEN ((old.role = 'owner'::text)) EXECUTE FUNCTION tenant.keep_an_owner()

tenant.organizations change_notice
CREATE TRIGGER change_notice AFTER INSERT OR UPDATE ON tenant.organizations FOR EACH ROW EXECUTE FUNCTION caelus.notify_change('organizations', 'Organization', 'id', 'id', 'deleted_at')

-- policies

caelus."user" api_admin
for all to caelus_api using (caelus.acts_as_admin()) with check (caelus.acts_as_admin())

caelus."user" api_sees_own
for select to caelus_api using ((id = caelus.current_user_id()))

caelus."user" worker_reads
for select to caelus_worker using (true)

caelus.api_token api_own
for all to caelus_api using (((user_id = caelus.current_user_id()) OR caelus.acts_as_admin())) with check (((user_id = caelus.current_user_id()) OR caelus.acts_as_admin()))

caelus.audit api_adds_own
for insert to caelus_api with check ((( SELECT caelus.acts_as_admin() AS acts_as_admin) OR (actor = ( SELECT (caelus.current_user_id())::text AS current_user_id))))

caelus.audit api_reads_own
for select to caelus_api using ((( SELECT caelus.acts_as_admin() AS acts_as_admin) OR (tenant = ANY (( SELECT caelus.current_tenants() AS current_tenants)::text[])) OR (actor = ( SELECT (caelus.current_user_id())::text AS current_user_id))))

caelus.chart_source api_admin
for all to caelus_api using (( SELECT caelus.acts_as_admin() AS acts_as_admin)) with check (( SELECT caelus.acts_as_admin() AS acts_as_admin))

caelus.chart_source worker_reads
for select to caelus_worker using (true)

caelus.decision api_reads_own
for select to caelus_api using ((( SELECT caelus.acts_as_admin() AS acts_as_admin) OR (tenant = ANY (( SELECT caelus.current_tenants() AS current_tenants)::text[]))))

caelus.decision worker_keeps
for all to caelus_worker using (true)

caelus.deployment api_own
for all to caelus_api using (((user_id = caelus.current_user_id()) OR caelus.acts_as_admin())) with check (((user_id = caelus.current_user_id()) OR caelus.acts_as_admin()))

caelus.deployment worker_reads
for select to caelus_worker using (true)

caelus.deployment worker_writes
for update to caelus_worker using (true)

caelus.deployment_limit api_admin
for all to caelus_api using (( SELECT caelus.acts_as_admin() AS acts_as_admin)) with check (( SELECT caelus.acts_as_admin() AS acts_as_admin))

caelus.deployment_limit api_reads_own
for select to caelus_api using ((user_id = ( SELECT caelus.current_user_id() AS current_user_id)))

caelus.deployment_look worker_keeps
for all to caelus_worker using (true)

caelus.deployment_revision api_own
for all to caelus_api using ((EXISTS ( SELECT
   FROM caelus.deployment d
  WHERE (d.id = deployment_revision.deployment_id))))

caelus.frozen_tenant api_admin
for all to caelus_api using (( SELECT caelus.acts_as_admin() AS acts_as_admin)) with check (( SELECT caelus.acts_as_admin() AS acts_as_admin))

caelus.frozen_tenant api_reads_own
for select to caelus_api using ((tenant = ANY (( SELECT caelus.current_tenants() AS current_tenants)::text[])))

caelus.frozen_tenant worker_reads
for select to caelus_worker using (true)

caelus.idempotency_key api_own
for all to caelus_api using ((user_id = caelus.current_user_id())) with check ((user_id = caelus.current_user_id()))

caelus.idempotency_key api_prunes
for delete to caelus_api using (( SELECT caelus.acts_as_admin() AS acts_as_admin))

caelus.idempotency_key api_sees_to_prune
for select to caelus_api using (( SELECT caelus.acts_as_admin() AS acts_as_admin))

caelus.idempotency_key worker_prunes
for all to caelus_worker using (true)

caelus.job api_changes_own
for update to caelus_api using ((( SELECT caelus.acts_as_admin() AS acts_as_admin) OR (tenant = ANY (( SELECT caelus.changeable_tenants() AS changeable_tenants)::text[]))))

caelus.job api_reads_own
for select to caelus_api using ((( SELECT caelus.acts_as_admin() AS acts_as_admin) OR (tenant = ANY (( SELECT caelus.current_tenants() AS current_tenants)::text[]))))

caelus.job worker_runs
for all to caelus_worker using (true)

caelus.job_history api_reads_own
for select to caelus_api using ((( SELECT caelus.acts_as_admin() AS acts_as_admin) OR (tenant = ANY (( SELECT caelus.current_tenants() AS current_tenants)::text[]))))

caelus.job_history worker_keeps
for all to caelus_worker using (true)

caelus.owned_domain api_admin
for all to caelus_api using (( SELECT caelus.acts_as_admin() AS acts_as_admin)) with check (( SELECT caelus.acts_as_admin() AS acts_as_admin))

caelus.owned_domain api_reads_own
for select to caelus_api using ((user_id = ( SELECT caelus.current_user_id() AS current_user_id)))

caelus.product api_admin
for all to caelus_api using (caelus.acts_as_admin()) with check (caelus.acts_as_admin())

caelus.product api_reads
for select to caelus_api using (((caelus.current_user_id() IS NOT NULL) OR caelus.acts_as_admin()))

caelus.product worker_reads
for select to caelus_worker using (true)

caelus.product_template_version api_admin
for all to caelus_api using (caelus.acts_as_admin()) with check (caelus.acts_as_admin())

caelus.product_template_version api_reads
for select to caelus_api using (((caelus.current_user_id() IS NOT NULL) OR caelus.acts_as_admin()))

caelus.product_template_version worker_reads
for select to caelus_worker using (true)

caelus.template_grant api_admin
for all to caelus_api using (( SELECT caelus.acts_as_admin() AS acts_as_admin)) with check (( SELECT caelus.acts_as_admin() AS acts_as_admin))

caelus.template_grant api_reads
for select to caelus_api using (((caelus.current_user_id() IS NOT NULL) OR caelus.acts_as_admin()))

caelus.template_grant worker_reads
for select to caelus_worker using (true)

tenant.cluster_events api_asks
for insert to caelus_api with check (((event_type = 'sync_requested'::text) AND (actor = COALESCE((( SELECT caelus.current_user_id() AS current_user_id))::text, 'platform'::text)) AND (( SELECT caelus.acts_as_admin() AS acts_as_admin) OR ((organization_id)::text = ANY (( SELECT caelus.changeable_tenants() AS changeable_tenants)::text[])))))

tenant.cluster_events api_reads_own
for select to caelus_api using ((( SELECT caelus.acts_as_admin() AS acts_as_admin) OR ((organization_id)::text = ANY (( SELECT caelus.current_tenants() AS current_tenants)::text[]))))

tenant.cluster_events worker_adds
for insert to caelus_worker with check (true)

tenant.cluster_events worker_prunes
for delete to caelus_worker using (true)

tenant.cluster_events worker_sees_to_prune
for select to caelus_worker using (true)

tenant.cluster_sync api_reads_own
for select to caelus_api using ((( SELECT caelus.acts_as_admin() AS acts_as_admin) OR ((organization_id)::text = ANY (( SELECT caelus.current_tenants() AS current_tenants)::text[]))))

tenant.cluster_sync worker_reads
for select to caelus_worker using (true)

tenant.cluster_sync worker_writes
for update to caelus_worker using (true)

tenant.cluster_watch api_reads
for select to caelus_api using (((caelus.current_user_id() IS NOT NULL) OR caelus.acts_as_admin()))

tenant.cluster_watch worker_writes
for all to caelus_worker using (true)

tenant.clusters api_adds_own
for insert to caelus_api with check ((( SELECT caelus.acts_as_admin() AS acts_as_admin) OR ((organization_id)::text = ANY (( SELECT caelus.changeable_tenants() AS changeable_tenants)::text[]))))

tenant.clusters api_changes_own
for update to caelus_api using ((( SELECT caelus.acts_as_admin() AS acts_as_admin) OR ((organization_id)::text = ANY (( SELECT caelus.changeable_tenants() AS changeable_tenants)::text[]))))

tenant.clusters api_reads_own
for select to caelus_api using ((( SELECT caelus.acts_as_admin() AS acts_as_admin) OR ((organization_id)::text = ANY (( SELECT caelus.current_tenants() AS current_tenants)::text[]))))

tenant.clusters worker_reads
for select to caelus_worker using (true)

tenant.node_pools api_changes_own
for all to caelus_api using ((( SELECT caelus.acts_as_admin() AS acts_as_admin) OR ((organization_id)::text = ANY (( SELECT caelus.changeable_tenants() AS changeable_tenants)::text[]))))

tenant.node_pools api_reads_own
for select to caelus_api using ((( SELECT caelus.acts_as_admin() AS acts_as_admin) OR ((organization_id)::text = ANY (( SELECT caelus.current_tenants() AS current_tenants)::text[]))))

tenant.node_pools worker_reads
for select to caelus_worker using (true)

tenant.organization_invitations api_owner
for all to caelus_api using ((( SELECT caelus.acts_as_admin() AS acts_as_admin) OR (tenant.role_in(organization_id) = 'owner'::text)))

tenant.organization_limits api_admin
for all to caelus_api using (( SELECT caelus.acts_as_admin() AS acts_as_admin)) with check (( SELECT caelus.acts_as_admin() AS acts_as_admin))

tenant.organization_limits api_reads_own
for select to caelus_api using ((( SELECT caelus.acts_as_admin() AS acts_as_admin) OR ((organization_id)::text = ANY (( SELECT caelus.current_tenants() AS current_tenants)::text[]))))

tenant.organization_members api_leaves
for delete to caelus_api using ((user_id = ( SELECT caelus.current_user_id() AS current_user_id)))

tenant.organization_members api_owner
for all to caelus_api using ((( SELECT caelus.acts_as_admin() AS acts_as_admin) OR (tenant.role_in(organization_id) = 'owner'::text)))

tenant.organization_members api_reads_own
for select to caelus_api using ((( SELECT caelus.acts_as_admin() AS acts_as_admin) OR (tenant.role_in(organization_id) IS NOT NULL)))

tenant.organizations api_owner
for update to caelus_api using ((( SELECT caelus.acts_as_admin() AS acts_as_admin) OR (tenant.role_in(id) = 'owner'::text)))

tenant.organizations api_reads_own
for select to caelus_api using ((( SELECT caelus.acts_as_admin() AS acts_as_admin) OR (tenant.role_in(id) IS NOT NULL)))

-- grants

caelus."user" to caelus_api
insert, select, update

caelus.api_token to caelus_api
insert, select, update

caelus.audit to caelus_api
insert, select

caelus.chart_source to caelus_api
delete, insert, select, update

caelus.chart_source to caelus_worker
select

caelus.decision to caelus_api
select

caelus.decision to caelus_worker
delete, insert, select

caelus.deployment to caelus_api
insert, select, update

caelus.deployment to caelus_worker
select

caelus.deployment_limit to caelus_api
delete, insert, select, update

caelus.deployment_look to caelus_worker
delete, insert, select, update

caelus.deployment_reconcile_job to caelus_api
select

caelus.deployment_reconcile_job to caelus_worker
select

caelus.deployment_revision to caelus_api
delete, select

caelus.done_reconcile_job to caelus_api
select

caelus.done_reconcile_job to caelus_worker
select

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
delete

caelus.installation to caelus_api
select

caelus.installation to caelus_worker
select

caelus.job to caelus_api
select, update

caelus.job to caelus_worker
delete, select, update

caelus.job_history to caelus_api
select

caelus.job_history to caelus_worker
delete, insert, select, update

caelus.job_turn to caelus_api
select

caelus.job_turn to caelus_worker
delete, insert, select, update

caelus.open_reconcile_job to caelus_api
select

caelus.open_reconcile_job to caelus_worker
select

caelus.owned_domain to caelus_api
delete, insert, select

caelus.product to caelus_api
insert, select, update

caelus.product to caelus_worker
select

caelus.product_template_version to caelus_api
insert, select, update

caelus.product_template_version to caelus_worker
select

caelus.template_grant to caelus_api
insert, select, update

caelus.template_grant to caelus_worker
select

tenant.cluster_claims to caelus_api
select

tenant.cluster_events to caelus_api
select

tenant.cluster_events to caelus_worker
delete, insert

tenant.cluster_sync to caelus_api
select

tenant.cluster_sync to caelus_worker
select

tenant.cluster_watch to caelus_api
select

tenant.cluster_watch to caelus_worker
delete, insert, select, update

tenant.clusters to caelus_api
insert, select

tenant.clusters to caelus_worker
select

tenant.node_pools to caelus_api
delete, insert, select

tenant.node_pools to caelus_worker
select

tenant.organization_invitations to caelus_api
insert, select, update

tenant.organization_limits to caelus_api
delete, insert, select, update

tenant.organization_members to caelus_api
delete, insert, select, update

tenant.organizations to caelus_api
select, update
