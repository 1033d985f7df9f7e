-- Upkeep of the directory: names without case in every script, history that ends, warnings before passwords run out.

-- Databases compare by bytes (locale C), where only A to Z have a lower case. Names are folded by this collation: the
-- built-in one where there is one (PostgreSQL 17), as it changes with no library; else that of ICU.
do $$
declare
  source text;
begin
  select collname into source from pg_collation
   where collnamespace = 'pg_catalog'::regnamespace and collname in ('pg_c_utf8', 'und-x-icu', 'C.utf8')
   order by array_position(array['pg_c_utf8', 'und-x-icu', 'C.utf8'], collname::text) limit 1;
  if source is null then
    raise exception 'PostgreSQL is needed with ICU, or with the locale C.UTF-8';
  end if;
  execute format('create collation folding from pg_catalog.%I', source);
end
$$;

-- The form in which two names are the same: "MÜLLER" and "Müller", composed or not.
create function fold(name text) returns text
  language sql immutable strict parallel safe
  return lower(normalize(name) collate folding) collate "default";

drop index users_username;
alter table users drop column username_key;
alter table users add column username_key text collate "C" not null generated always as (fold(username)) stored;
create unique index users_username on users (organization_id, username_key) where deleted_at is null;
-- The column took the index of 0014 along; what people type to sign in is folded alike.
create index users_by_login_username on users (username_key) where deleted_at is null;
create or replace function find_logins(login text, most integer) returns table (tenant text, user_id text)
  language sql stable security definer set search_path = public, pg_temp as $$
    select organization_id, id from users where username_key = fold(login) and deleted_at is null
    union
    select organization_id, id from users where email_key = lower(login) and deleted_at is null
    order by 1, 2 limit most
$$;

drop index groups_name;
create unique index groups_name on groups (organization_id, type, fold(name)) where deleted_at is null;

-- The day of expiry about which the user was warned: a new password has another one.
alter table users add column password_warned_for timestamptz(3);
create index users_by_password_expiry on users (organization_id, password_expiration_date)
  where deleted_at is null and password_expiration_date is not null;

-- What the job that forgets history looks for.
create index edges_ended on edges (organization_id, valid_until) where valid_until is not null;
create index nodes_deleted on nodes (organization_id, deleted_at) where deleted_at is not null;
