-- System users: the people of an organization, their passwords, keys and states.

create table users (
  organization_id object_id not null,
  id object_id not null,
  username text not null,
  email text not null,
  -- Columns, not expressions: row-level security keeps a condition from an index as soon as it calls a function.
  username_key text collate "C" not null generated always as (lower(username)) stored,
  email_key text collate "C" not null generated always as (lower(email)) stored,
  firstname text not null default '',
  lastname text not null default '',
  employee_identifier text,
  -- Another user of the organization.
  manager object_id,
  state text not null check (state in ('STAGED', 'ACTIVATED', 'SUSPENDED')),
  unix_uid bigint not null check (unix_uid between 1 and 4294967295),
  unix_guid bigint not null check (unix_guid between 1 and 4294967295),
  -- The rest of what administrators write, by the names of the API; members at their default are left out.
  profile jsonb not null default '{}',
  ssh_keys jsonb not null default '[]',
  creation_source text not null,
  account_locked boolean not null default false,
  account_locked_date timestamptz(3),
  bad_login_attempts integer not null default 0,
  -- argon2id; null until a password is set.
  password_hash text,
  password_date timestamptz(3),
  password_expiration_date timestamptz(3),
  -- Expired by an administrator, whatever the date says.
  password_expired boolean not null default false,
  -- Sealed.
  totp_secret text,
  totp_enrolled_at timestamptz(3),
  -- RFC 6238 §5.2: a code is accepted once.
  totp_last_counter bigint,
  created timestamptz(3) not null default now(),
  updated timestamptz(3) not null default now(),
  -- Deleted, and can be restored for a while.
  deleted_at timestamptz(3),
  primary key (organization_id, id)
);
call protect_tenant_table('users');
create unique index users_username on users (organization_id, username_key) where deleted_at is null;
create unique index users_email on users (organization_id, email_key) where deleted_at is null;
create unique index users_employee_identifier on users (organization_id, employee_identifier)
  where deleted_at is null and employee_identifier is not null;
-- Who reports to someone.
create index users_by_manager on users (organization_id, manager) where deleted_at is null and manager is not null;
-- The orders that lists are asked for, with nulls where lists have them: else an index would not do for the order.
create index users_living on users (organization_id, id nulls first) where deleted_at is null;
create index users_by_username on users (organization_id, username collate "C" nulls first, id) where deleted_at is null;
create index users_by_email on users (organization_id, email collate "C" nulls first, id) where deleted_at is null;
create index users_by_lastname on users (organization_id, lastname collate "C" nulls first, id) where deleted_at is null;
create index users_by_created on users (organization_id, created nulls first, id) where deleted_at is null;
create index users_deleted on users (organization_id, deleted_at) where deleted_at is not null;

-- The next number of a kind: unix_uid.
create table user_counters (
  organization_id object_id not null,
  name text not null,
  next bigint not null,
  primary key (organization_id, name)
);
call protect_tenant_table('user_counters');

-- Former passwords, for as many as the organization's policy looks back on.
create table user_password_history (
  organization_id object_id not null,
  user_id object_id not null,
  replaced_at timestamptz(3) not null default clock_timestamp(),
  password_hash text not null,
  primary key (organization_id, user_id, replaced_at),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
call protect_tenant_table('user_password_history');

-- One-time links to choose a password; the organization stands in the link.
create table user_password_links (
  organization_id object_id not null,
  hash bytea not null,
  user_id object_id not null,
  expires_at timestamptz(3) not null,
  primary key (organization_id, hash),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
call protect_tenant_table('user_password_links');
create index user_password_links_by_user on user_password_links (organization_id, user_id);

-- Changes of state that are still to come. A row goes when it has happened, in the same transaction.
create table scheduled_states (
  organization_id object_id not null,
  id object_id not null,
  user_id object_id not null,
  state text not null check (state in ('ACTIVATED', 'SUSPENDED')),
  start_date timestamptz(3) not null,
  send_activation_emails boolean not null,
  activation_email_override text,
  -- Who planned it: the caller as events tell it.
  planned_by jsonb not null,
  created timestamptz(3) not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
call protect_tenant_table('scheduled_states');
create index scheduled_states_by_date on scheduled_states (organization_id, start_date, id);
create index scheduled_states_by_user on scheduled_states (organization_id, user_id, start_date);

create table bulk_jobs (
  organization_id object_id not null,
  id object_id not null,
  kind text not null check (kind in ('create', 'update', 'expire', 'unlock')),
  creation_source text not null,
  -- The administrator who gets the result by mail; null when nobody does.
  mail_to text,
  started_by jsonb not null,
  created timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  primary key (organization_id, id)
);
call protect_tenant_table('bulk_jobs');

-- One for each user that was sent in.
create table bulk_job_results (
  organization_id object_id not null,
  job_id object_id not null,
  id object_id not null,
  position integer not null,
  status text not null default 'Pending' check (status in ('Pending', 'Finished')),
  status_msg text not null default '',
  persisted_fields jsonb not null,
  -- Sealed, and forgotten as soon as the user has it.
  password text,
  meta jsonb not null default '{}',
  created timestamptz(3) not null default now(),
  updated timestamptz(3) not null default now(),
  primary key (organization_id, job_id, id),
  foreign key (organization_id, job_id) references bulk_jobs (organization_id, id) on delete cascade
);
call protect_tenant_table('bulk_job_results');
create unique index bulk_job_results_in_order on bulk_job_results (organization_id, job_id, position);

grant select, insert, update, delete on
  users, user_counters, user_password_history, user_password_links, scheduled_states, bulk_jobs, bulk_job_results
  to gatehouse_service;
