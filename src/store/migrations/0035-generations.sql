-- Users and products have a version, for If-Match.

alter table caelus.product add column generation bigint not null default 1 check (generation > 0);
alter table caelus.user add column generation bigint not null default 1 check (generation > 0);

-- Triggers, so that it also grows by logins and by processes of the version before.
create function caelus.next_generation() returns trigger language plpgsql as $$
begin
  new.generation = old.generation + 1;
  return new;
end
$$;
revoke execute on function caelus.next_generation from public;

create trigger next_generation before update on caelus.product for each row
  when ((old.name, old.description, old.icon, old.template_id)
    is distinct from (new.name, new.description, new.icon, new.template_id))
  execute function caelus.next_generation();
create trigger next_generation before update on caelus.user for each row
  when ((old.email, old.is_admin) is distinct from (new.email, new.is_admin))
  execute function caelus.next_generation();

-- Functions that were parsed when the table had fewer columns.
create or replace function caelus.find_user(the_id uuid) returns setof caelus.user
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select * from caelus.user u where u.id = the_id and u.deleted_at is null;
end;
create or replace function caelus.sign_in(the_subject text, the_email text, admin boolean) returns setof caelus.user
language sql security definer set search_path = pg_catalog, pg_temp
begin atomic
  select * from caelus.sign_in(the_subject, the_email, true, admin);
end;
