-- A login takes over a user that an admin created, and renames a known one, only by an email that its issuer verified.

-- Creates or refreshes the user of a subject. A null role leaves the stored one. Answers no row if the email belongs to
-- another user, or if the subject is new and has no email or name (null).
create function caelus.sign_in(the_subject text, the_email text, is_verified boolean, admin boolean)
returns setof caelus.user
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
$$;
revoke execute on function caelus.sign_in(text, text, boolean, boolean) from public;
grant execute on function caelus.sign_in(text, text, boolean, boolean) to caelus_api;

-- For processes of the version before.
create or replace function caelus.sign_in(the_subject text, the_email text, admin boolean) returns setof caelus.user
language sql security definer set search_path = pg_catalog, pg_temp
begin atomic
  select * from caelus.sign_in(the_subject, the_email, true, admin);
end;
