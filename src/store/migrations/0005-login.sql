-- How people come in. Row level security shows the API only the rows of a known caller; before the caller is known,
-- these functions are the only way to a row, and each answers about one.

alter table caelus.user
  -- The issuer and its name for the user; null until the first login.
  add column subject text unique,
  -- Sessions that began before are void: the user logged out.
  add column sessions_from timestamptz not null default '-infinity';

alter table caelus.api_token
  -- A token may do less than its owner, never more.
  add column role text not null default 'member' check (role in ('admin', 'member'));

-- Makes or refreshes the user of a subject. A user who was entered by email is taken over by the first login with it;
-- one who already logs in under another subject is not: no row is answered. A null role leaves it as it is.
create function caelus.sign_in(the_subject text, the_email text, admin boolean) returns setof caelus.user
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
$$;

create function caelus.find_user(the_id uuid) returns setof caelus.user
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select * from caelus.user u where u.id = the_id and u.deleted_at is null;
end;

-- The time comes from the clock that also dates sessions: two clocks could let one survive.
create function caelus.sign_out(the_id uuid, at timestamptz) returns void
language sql security definer set search_path = pg_catalog, pg_temp
begin atomic
  update caelus.user set sessions_from = at where id = the_id;
end;

create function caelus.find_token(the_sha256 bytea) returns setof caelus.api_token
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select * from caelus.api_token where sha256 = the_sha256;
end;

-- To the minute, so that a busy token costs one write per minute and not one per request.
create function caelus.mark_token_used(the_id uuid) returns void
language sql security definer set search_path = pg_catalog, pg_temp
begin atomic
  update caelus.api_token set last_used_at = now()
  where id = the_id and (last_used_at is null or last_used_at < now() - interval '1 minute');
end;

revoke execute on function caelus.sign_in, caelus.find_user, caelus.sign_out, caelus.find_token, caelus.mark_token_used from public;
grant execute on function caelus.sign_in, caelus.find_user, caelus.sign_out, caelus.find_token, caelus.mark_token_used to caelus_api;
