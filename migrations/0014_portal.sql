-- People signing in: sessions and second factors.

-- The cookie names the tenant beside the secret, so a session is found under row-level security like everything else.
create table user_sessions (
  organization_id object_id not null,
  id object_id not null,
  user_id object_id not null,
  -- SHA-256 of the secret in the cookie. Every step of a sign-in replaces it; the id stays.
  hash bytea not null,
  -- What is still to be given or done before the session is good for anything else.
  owed text check (owed in ('totp', 'password', 'enrollment')),
  -- How the person proved who they are.
  methods text[] not null check (methods <@ array['pwd', 'otp']),
  client_ip text,
  useragent text,
  created timestamptz(3) not null default now(),
  authenticated_at timestamptz(3) not null,
  seen_at timestamptz(3) not null default now(),
  -- As the organization had it when the person signed in.
  idle_minutes integer not null check (idle_minutes > 0),
  expires_at timestamptz(3) not null,
  primary key (organization_id, id),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
call protect_tenant_table('user_sessions');
create unique index user_sessions_hash on user_sessions (organization_id, hash);
create index user_sessions_by_user on user_sessions (organization_id, user_id, id);
create index user_sessions_by_expiry on user_sessions (organization_id, expires_at);

-- A second factor that is shown to the person and has not proved itself yet.
create table user_totp_enrollments (
  organization_id object_id not null,
  user_id object_id not null,
  -- Sealed in the context of users.totp_secret, where it goes.
  secret text not null,
  created timestamptz(3) not null default now(),
  primary key (organization_id, user_id),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
call protect_tenant_table('user_totp_enrollments');

-- What people type to sign in names no tenant, and is unique in one only. This function alone looks across tenants:
-- it tells where there is somebody of exactly that name, and nothing about them (decision 0008).
create index users_by_login_username on users (username_key) where deleted_at is null;
create index users_by_login_email on users (email_key) where deleted_at is null;
create function find_logins(login text, most integer) returns table (tenant text, user_id text)
  language sql stable security definer set search_path = public, pg_temp as $$
    select organization_id, id from users where username_key = lower(login) and deleted_at is null
    union
    select organization_id, id from users where email_key = lower(login) and deleted_at is null
    order by 1, 2 limit most
$$;
revoke all on function find_logins from public;
grant execute on function find_logins to gatehouse_service;

grant select, insert, update, delete on user_sessions to gatehouse_service;
grant select, insert, update, delete on user_totp_enrollments to gatehouse_service;
