-- Outbound provisioning: the SCIM connection of an application, and what is known of each account at its provider.

create table provisioning_connections (
  organization_id object_id not null,
  application_id object_id not null,
  -- Names the connection in events.
  idm_client_id object_id not null,
  -- Stopped: by the service itself, because the provider refused the credentials or is not a SCIM service.
  status text not null check (status in ('inactive', 'active', 'stopped')),
  status_reason text,
  settings jsonb not null,
  -- Sealed.
  secret text not null,
  -- What was learnt about the provider's dialect.
  quirks jsonb not null default '{}',
  -- Removals that wait for an administrator, because they are too many at once.
  held_removals integer,
  held_at timestamptz(3),
  -- The last comparison with the provider.
  reconciliation jsonb,
  created timestamptz(3) not null default now(),
  updated timestamptz(3) not null default now(),
  primary key (organization_id, application_id),
  foreign key (organization_id, application_id) references applications (organization_id, id) on delete cascade
);
call protect_tenant_table('provisioning_connections');

-- Who works on each connection, and when there is something to do for all of it. Global, because a worker looks for
-- work before it knows a tenant; it holds ids and times only.
create table provisioning_runs (
  application_id object_id primary key,
  tenant object_id not null,
  active boolean not null,
  -- Since when all bindings are to be compared with the accounts; null: only the touched ones.
  sweep_since timestamptz(3),
  -- The sweep also compares the attributes of every account, such as after a change of the mapping.
  sweep_all boolean not null default false,
  -- The provider asked for a pause, or does not answer.
  paused_until timestamptz(3),
  failures integer not null default 0,
  -- The next comparison with the provider; null: none is scheduled.
  reconcile_at timestamptz(3),
  -- Null: as the settings say.
  reconcile_mode text,
  lease text,
  lease_until timestamptz(3),
  foreign key (tenant, application_id) references provisioning_connections (organization_id, application_id)
    on delete cascade
);

-- An account at the provider, one for each user who is or was bound. No reference to the user: the account outlives the
-- user until the provider has confirmed its end.
create table provisioning_users (
  organization_id object_id not null,
  application_id object_id not null,
  user_id object_id not null,
  username text not null default '',
  -- Bound to the application when last compared, directly or through a group.
  bound boolean not null default false,
  state text not null default 'pending'
    check (state in ('pending', 'staged', 'provisioned', 'deactivated', 'deleted', 'none')),
  -- When it came into this state.
  since timestamptz(3) not null default now(),
  remote_id text,
  -- The resource as we last wrote it.
  written jsonb,
  -- Counts the reasons to compare it, so that one that arrives during a request is not forgotten.
  revision bigint not null default 1,
  -- Null: nothing to do.
  next_at timestamptz(3),
  -- Removals go first.
  urgent boolean not null default false,
  attempts integer not null default 0,
  failing_since timestamptz(3),
  error_kind text,
  error text,
  -- Needs an administrator, and is not tried again until something changes.
  parked boolean not null default false,
  -- The deprovision clock: from the change that ends the access to the confirmation of the provider.
  removal_since timestamptz(3),
  removal_confirmed boolean not null default false,
  removal_late boolean not null default false,
  removed_at timestamptz(3),
  removal_ms bigint,
  -- Deactivated accounts only: when they are deleted.
  delete_at timestamptz(3),
  primary key (organization_id, application_id, user_id),
  foreign key (organization_id, application_id)
    references provisioning_connections (organization_id, application_id) on delete cascade
);
call protect_tenant_table('provisioning_users');
create index provisioning_users_due on provisioning_users (organization_id, application_id, urgent desc, next_at)
  where next_at is not null;
create index provisioning_users_of_user on provisioning_users (organization_id, user_id);
create index provisioning_users_by_remote on provisioning_users (organization_id, application_id, remote_id);
create index provisioning_users_removed on provisioning_users (organization_id, application_id, removed_at)
  where removed_at is not null;

create table provisioning_groups (
  organization_id object_id not null,
  application_id object_id not null,
  group_id object_id not null,
  name text not null default '',
  state text not null default 'pending' check (state in ('pending', 'provisioned', 'deleted', 'none')),
  since timestamptz(3) not null default now(),
  remote_id text,
  written_name text,
  revision bigint not null default 1,
  next_at timestamptz(3),
  attempts integer not null default 0,
  error_kind text,
  error text,
  parked boolean not null default false,
  primary key (organization_id, application_id, group_id),
  foreign key (organization_id, application_id)
    references provisioning_connections (organization_id, application_id) on delete cascade
);
call protect_tenant_table('provisioning_groups');

-- The members of a group as we wrote them: differences are taken from here, never from an echo of the provider.
create table provisioning_members (
  organization_id object_id not null,
  application_id object_id not null,
  group_id object_id not null,
  user_id object_id not null,
  remote_id text not null,
  primary key (organization_id, application_id, group_id, user_id),
  foreign key (organization_id, application_id, group_id)
    references provisioning_groups (organization_id, application_id, group_id) on delete cascade
);
call protect_tenant_table('provisioning_members');

grant select, insert, update, delete on
  provisioning_connections, provisioning_runs, provisioning_users, provisioning_groups, provisioning_members
  to gatehouse_service;
