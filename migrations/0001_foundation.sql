-- Conventions
--   Tenant tables carry organization_id in every key and have row-level security on it; the tenant is an
--   organization or, for what belongs to a provider itself, the provider.
--   Global tables (providers, organizations, administrators, key hashes) are few and small; a reference from
--   them to an organization is called "organization", so that organization_id always means "tenant table".

create table schema_migrations (
  version integer primary key,
  name text not null,
  checksum text not null,
  applied_at timestamptz(3) not null default now()
);

-- The role the service acts as. It owns nothing, so row-level security binds it.
do $$
begin
  if not exists (select from pg_roles where rolname = 'gatehouse_service') then
    create role gatehouse_service nologin;
  end if;
  if current_user <> 'gatehouse_service' and not pg_has_role(current_user, 'gatehouse_service', 'member') then
    execute format('grant gatehouse_service to %I', current_user);
  end if;
exception
  -- Two installations in one cluster may create the role at the same moment.
  when duplicate_object or unique_violation then null;
end $$;

create domain object_id as text collate "C" check (value ~ '^[0-9a-f]{24}$');

-- What row-level security compares with. Null outside a tenant's transaction, so nothing matches.
create function current_tenant() returns text
  language sql stable parallel safe
  return nullif(current_setting('app.organization_id', true), '');

-- Every tenant table calls this once.
create procedure protect_tenant_table(target regclass)
  language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format(
    'create policy tenant on %s using (organization_id = current_tenant()) with check (organization_id = current_tenant())',
    target);
end $$;

-- Global tables ------------------------------------------------------------------------------------------

create table providers (
  id object_id primary key,
  name text not null,
  contact jsonb,
  disallow_org_creation boolean not null default false,
  created timestamptz(3) not null default now()
);

create table organizations (
  id object_id primary key,
  provider object_id references providers (id),
  name text not null,
  logo_url text,
  settings jsonb not null default '{}',
  max_system_users integer not null default 0 check (max_system_users >= 0),
  created timestamptz(3) not null default now()
);
create index organizations_by_provider on organizations (provider, id);

create table administrators (
  id object_id primary key,
  -- Exactly one home: an organization, or a provider whose organizations are linked one by one.
  organization object_id references organizations (id),
  provider object_id references providers (id),
  email text not null,
  firstname text not null default '',
  lastname text not null default '',
  role_ids text[] not null check (cardinality(role_ids) > 0),
  password_hash text,
  password_updated_at timestamptz(3),
  api_key_allowed boolean not null default true,
  enable_multi_factor boolean not null default false,
  totp_secret text,
  totp_pending_secret text,
  totp_updated_at timestamptz(3),
  -- RFC 6238 §5.2: a code is accepted once.
  totp_last_counter bigint,
  recovery_code_hashes text[] not null default '{}',
  suspended boolean not null default false,
  growth_data jsonb not null default '{}',
  disable_introduction boolean not null default false,
  last_whats_new_checked timestamptz(3),
  users_time_zone text,
  created timestamptz(3) not null default now(),
  check ((organization is null) <> (provider is null))
);
create unique index administrators_email on administrators (lower(email));
create index administrators_by_organization on administrators (organization, id);
create index administrators_by_provider on administrators (provider, id);

create table administrator_organizations (
  administrator_id object_id not null references administrators (id) on delete cascade,
  organization object_id not null references organizations (id) on delete cascade,
  id object_id not null,
  primary key (administrator_id, organization)
);
create index administrator_organizations_by_organization on administrator_organizations (organization, administrator_id);

-- Hashes of API keys and client secrets. The plain value is shown once and kept nowhere.
create table credentials (
  hash bytea primary key,
  kind text not null check (kind in ('api-key', 'client-secret')),
  administrator_id object_id references administrators (id) on delete cascade,
  -- A service account lives in a tenant table; its tenant is needed before row-level security can be set.
  service_account_id object_id,
  auth_config_id object_id,
  tenant object_id,
  prefix text not null,
  -- Null: everything the role allows.
  scopes text[],
  created timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  check ((administrator_id is null) <> (service_account_id is null))
);
create unique index credentials_one_key_per_administrator on credentials (administrator_id) where administrator_id is not null;
create index credentials_by_service_account on credentials (service_account_id, auth_config_id);

create table access_tokens (
  hash bytea primary key,
  service_account_id object_id not null,
  auth_config_id object_id not null,
  tenant object_id not null,
  expires_at timestamptz(3) not null
);
create index access_tokens_by_service_account on access_tokens (service_account_id);
create index access_tokens_by_expiry on access_tokens (expires_at);

create table sessions (
  hash bytea primary key,
  administrator_id object_id not null references administrators (id) on delete cascade,
  csrf_hash bytea not null,
  -- Signed in with the password only, while a second factor is still owed.
  mfa_owed text check (mfa_owed in ('totp', 'enrollment')),
  mfa boolean not null default false,
  client_ip text,
  useragent text,
  created timestamptz(3) not null default now(),
  seen_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);
create index sessions_by_administrator on sessions (administrator_id);
create index sessions_by_expiry on sessions (expires_at);

-- Failures of sign-in, counted per account and per address; shared by all web processes.
create table sign_in_failures (
  subject text primary key,
  failures integer not null,
  first_at timestamptz(3) not null,
  blocked_until timestamptz(3)
);

create table password_resets (
  hash bytea primary key,
  administrator_id object_id not null references administrators (id) on delete cascade,
  expires_at timestamptz(3) not null
);

create table mails (
  id object_id primary key,
  recipient text not null,
  subject text not null,
  -- Sealed: bodies hold one-time links.
  body text not null,
  created timestamptz(3) not null default now(),
  sent_at timestamptz(3)
);

-- Keys that seal secrets, each wrapped by the master key.
create table data_keys (
  id object_id primary key,
  wrapped bytea not null,
  created timestamptz(3) not null default now()
);

-- Tenant tables ------------------------------------------------------------------------------------------

create table roles (
  organization_id object_id not null,
  id object_id not null,
  name text not null,
  description text not null default '',
  scopes text[] not null,
  created timestamptz(3) not null default now(),
  primary key (organization_id, id)
);
create unique index roles_name on roles (organization_id, lower(name));
call protect_tenant_table('roles');

create table service_accounts (
  organization_id object_id not null,
  id object_id not null,
  name text not null,
  role_id text not null,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'INACTIVE')),
  created timestamptz(3) not null default now(),
  primary key (organization_id, id)
);
create unique index service_accounts_name on service_accounts (organization_id, lower(name));
call protect_tenant_table('service_accounts');

create table service_account_auth_configs (
  organization_id object_id not null,
  service_account_id object_id not null,
  id object_id not null,
  auth_type text not null check (auth_type in ('API_KEY', 'CLIENT_SECRET')),
  prefix text not null,
  created timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  primary key (organization_id, service_account_id, id),
  foreign key (organization_id, service_account_id) references service_accounts (organization_id, id) on delete cascade
);
call protect_tenant_table('service_account_auth_configs');

-- A change of who may do what empties the caches of all processes at commit.
create function announce_credential_change() returns trigger
  language plpgsql as $$
begin
  notify gatehouse_credentials;
  return null;
end $$;
create trigger announce after insert or update or delete on administrators for each statement execute function announce_credential_change();
create trigger announce after update or delete on credentials for each statement execute function announce_credential_change();
create trigger announce after insert or update or delete on administrator_organizations for each statement execute function announce_credential_change();
create trigger announce after insert or delete or update of provider on organizations for each statement execute function announce_credential_change();
create trigger announce after update or delete on roles for each statement execute function announce_credential_change();
create trigger announce after update or delete on service_accounts for each statement execute function announce_credential_change();
create trigger announce after delete on access_tokens for each statement execute function announce_credential_change();
create trigger announce after delete on sessions for each statement execute function announce_credential_change();

-- Audit events -------------------------------------------------------------------------------------------

create table events (
  -- The organization, or the provider for events of the multi-tenant portal.
  organization_id object_id not null,
  timestamp timestamptz(3) not null,
  -- Internal: some services have no id in their documents.
  id uuid not null,
  -- Beside the document, because documents of some services do not name it.
  service text not null,
  -- Text, not jsonb: rows go to the socket as they are (decision 0003).
  document text not null,
  primary key (organization_id, timestamp, id)
) partition by range (timestamp);
call protect_tenant_table('events');

-- Catches what no partition covers, so that an event can never fail the action it belongs to.
create table events_default partition of events default;
call protect_tenant_table('events_default');

-- Weekly partitions, Monday to Monday in UTC. Runs as the owner: the service may not create tables.
create function create_event_partitions(first timestamptz, last timestamptz) returns integer
  language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' as $$
declare
  week timestamptz := date_trunc('week', first);
  name text;
  made integer := 0;
begin
  -- One maker at a time, or two would create the same partition.
  perform pg_advisory_xact_lock(4718236056);
  while week <= last loop
    name := 'events_' || to_char(week, 'IYYY"w"IW');
    if to_regclass(name) is null then
      execute format('create table %I (like events including defaults including constraints)', name);
      execute format('alter table %I add primary key (organization_id, timestamp, id)', name);
      execute format('call protect_tenant_table(%L)', name);
      -- Rows that had to wait in the default partition move to their own.
      execute format(
        'with moved as (delete from events_default where timestamp >= %L and timestamp < %L returning *) insert into %I select * from moved',
        week, week + interval '7 days', name);
      execute format('alter table events attach partition %I for values from (%L) to (%L)', name, week, week + interval '7 days');
      made := made + 1;
    end if;
    week := week + interval '7 days';
  end loop;
  return made;
end $$;

-- The time of an event that the service writes. A shared advisory lock, held to the end of the transaction,
-- tells readers from when on this transaction may still add events; it is taken before the clock is read, so
-- no event is ever older than the mark of its transaction. The tag 16384 (0x4000) in the top 16 bits keeps
-- these locks apart from others; milliseconds fit in the 48 bits below until the year 10889.
create function event_clock() returns timestamptz
  language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(
    (16384::bigint << 48) | floor(extract(epoch from clock_timestamp()) * 1000)::bigint);
  return date_trunc('milliseconds', clock_timestamp());
end $$;

-- Below this instant no event can still be committed: a reader that stops here misses nothing. The clock is
-- read before the locks; a writer not seen among them took its lock, and so its time, later.
create function event_watermark() returns timestamptz
  language plpgsql volatile as $$
declare
  mark bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint;
  oldest bigint;
begin
  select min(((classid::bigint & 65535) << 32) | objid::bigint) into oldest
    from pg_locks
   where locktype = 'advisory' and objsubid = 1 and classid::bigint >> 16 = 16384
     and database = (select oid from pg_database where datname = current_database());
  return to_timestamp(least(mark, coalesce(oldest, mark)) / 1000.0);
end $$;

select create_event_partitions(now() - interval '90 days', now() + interval '21 days');

-- What the service may do --------------------------------------------------------------------------------

grant usage on schema public to gatehouse_service;
grant select, insert, update, delete on
  providers, organizations, administrators, administrator_organizations, credentials, access_tokens, sessions,
  sign_in_failures, password_resets, mails, data_keys, roles, service_accounts, service_account_auth_configs
  to gatehouse_service;
grant select, insert, delete on events to gatehouse_service;
grant select on schema_migrations to gatehouse_service;
grant execute on function create_event_partitions(timestamptz, timestamptz) to gatehouse_service;
revoke execute on function create_event_partitions(timestamptz, timestamptz) from public;
