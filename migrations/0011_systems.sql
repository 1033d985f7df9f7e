-- Systems, how they enrol and sign, and the commands that run on them.

create table systems (
  organization_id object_id not null,
  id object_id not null,
  display_name text not null default '',
  hostname text not null default '',
  description text not null default '',
  os text not null default '',
  os_family text not null default '',
  version text not null default '',
  arch text not null default '',
  serial_number text not null default '',
  agent_version text not null default '',
  remote_ip text not null default '',
  last_contact timestamptz(3),
  created timestamptz(3) not null default clock_timestamp(),
  attributes jsonb not null default '[]',
  -- Who put it in: decides, with the kind of enrolment in details, whether it may sign requests.
  provisioner_type text not null default 'administrator' check (provisioner_type in ('administrator', 'mdm', 'user')),
  provisioner_id text not null default '',
  primary_user_id object_id,
  -- The rest of the record, by the names of the API.
  details jsonb not null default '{}',
  -- Deleted, and can be restored for a while.
  deleted_at timestamptz(3),
  primary key (organization_id, id)
);
call protect_tenant_table('systems');
-- In the order that lists ask for: as text by bytes, the empty first.
create index systems_by_id on systems (organization_id, (id::text collate "C") nulls first) where deleted_at is null;
create index systems_by_display_name on systems (organization_id, (display_name::text collate "C") nulls first, id) where deleted_at is null;
create index systems_by_hostname on systems (organization_id, (hostname::text collate "C") nulls first, id) where deleted_at is null;
create index systems_by_last_contact on systems (organization_id, last_contact nulls first, id) where deleted_at is null;
create index systems_by_primary_user on systems (organization_id, primary_user_id) where primary_user_id is not null;
create index systems_deleted on systems (organization_id, deleted_at) where deleted_at is not null;

-- SSH host keys of a system, as it reports them.
create table system_ssh_keys (
  organization_id object_id not null,
  system_id object_id not null,
  id object_id not null,
  name text not null,
  public_key text not null,
  created timestamptz(3) not null default clock_timestamp(),
  primary key (organization_id, system_id, id),
  unique (organization_id, system_id, name),
  foreign key (organization_id, system_id) references systems (organization_id, id) on delete cascade
);
call protect_tenant_table('system_ssh_keys');

-- The key a system signs with. Global: a signed request names its system before a tenant is known.
create table system_keys (
  system_id object_id not null,
  -- SHA-256 of the public key (SubjectPublicKeyInfo).
  fingerprint bytea not null,
  tenant object_id not null,
  public_key text not null,
  created timestamptz(3) not null default clock_timestamp(),
  primary key (system_id, fingerprint),
  foreign key (tenant, system_id) references systems (organization_id, id) on delete cascade
);
create index system_keys_by_tenant on system_keys (tenant, system_id);

-- The body is not signed. What came with a signature is remembered for as long as its date is accepted.
create table signed_bodies (
  organization_id object_id not null,
  signature_hash bytea not null,
  body_hash bytea not null,
  expires_at timestamptz(3) not null,
  primary key (organization_id, signature_hash)
);
call protect_tenant_table('signed_bodies');
create index signed_bodies_by_expiry on signed_bodies (organization_id, expires_at);

-- With this key of its organization a system enrols. Global: it is what tells the tenant. The hash finds it, the sealed
-- value shows it to administrators.
create table connect_keys (
  tenant object_id primary key references organizations (id) on delete cascade,
  hash bytea not null unique,
  sealed_key text not null,
  created timestamptz(3) not null default clock_timestamp()
);

-- With this key an organization signs what its systems are to run; a system knows the public half from its enrolment.
create table agent_signing_keys (
  organization_id object_id not null,
  id object_id not null,
  public_key text not null,
  -- Sealed.
  private_key text not null,
  created timestamptz(3) not null default clock_timestamp(),
  primary key (organization_id, id)
);
call protect_tenant_table('agent_signing_keys');

create table commands (
  organization_id object_id not null,
  id object_id not null,
  name text not null,
  command text not null,
  command_type text not null check (command_type in ('linux', 'mac', 'windows')),
  launch_type text not null,
  schedule text not null default '',
  schedule_repeat_type text not null default '',
  trigger text not null default '',
  run_as text not null default '',
  sudo boolean not null default false,
  timeout_seconds integer not null default 120 check (timeout_seconds between 1 and 86400),
  -- The rest of the record, by the names of the API.
  details jsonb not null default '{}',
  -- Null: nothing is planned. A job that comes for another instant is out of date.
  next_run_at timestamptz(3),
  created timestamptz(3) not null default clock_timestamp(),
  primary key (organization_id, id)
);
call protect_tenant_table('commands');
create index commands_by_name on commands (organization_id, (name::text collate "C") nulls first, id);
create index commands_by_trigger on commands (organization_id, trigger) where trigger <> '';

-- What a system still has to fetch and answer.
create table command_queue (
  organization_id object_id not null,
  id object_id not null,
  system_id object_id not null,
  -- Null: built in (restart, shutdown …).
  command_id object_id,
  workflow_instance_id object_id not null,
  launched_by text not null check (launched_by in ('manual', 'triggered', 'scheduled', 'built-in')),
  name text not null,
  command text not null,
  run_as text not null default '',
  run_as_name text not null default 'root',
  sudo boolean not null default false,
  timeout_seconds integer not null,
  -- The body of the trigger, handed to the command.
  payload jsonb,
  request_time timestamptz(3) not null default clock_timestamp(),
  fetched_at timestamptz(3),
  expires_at timestamptz(3) not null,
  primary key (organization_id, id),
  foreign key (organization_id, system_id) references systems (organization_id, id) on delete cascade
);
call protect_tenant_table('command_queue');
create index command_queue_by_system on command_queue (organization_id, system_id, id);
create index command_queue_by_command on command_queue (organization_id, command_id);
create index command_queue_by_workflow on command_queue (organization_id, workflow_instance_id);

create table command_results (
  organization_id object_id not null,
  id object_id not null,
  command_id object_id,
  workflow_instance_id object_id not null,
  system_id object_id not null,
  system_name text not null default '',
  name text not null,
  command text not null,
  run_as text not null default '',
  sudo boolean not null default false,
  files jsonb not null default '[]',
  request_time timestamptz(3) not null,
  response_time timestamptz(3) not null default clock_timestamp(),
  exit_code integer,
  output text not null default '',
  error text not null default '',
  primary key (organization_id, id)
);
call protect_tenant_table('command_results');
create index command_results_by_command on command_results (organization_id, command_id, id);
create index command_results_by_system on command_results (organization_id, system_id, id);
create index command_results_by_response_time on command_results (organization_id, response_time nulls first, id);

grant select, insert, update, delete on systems to gatehouse_service;
grant select, insert, update, delete on system_ssh_keys to gatehouse_service;
grant select, insert, update, delete on system_keys to gatehouse_service;
grant select, insert, update, delete on signed_bodies to gatehouse_service;
grant select, insert, update, delete on connect_keys to gatehouse_service;
grant select, insert, update, delete on agent_signing_keys to gatehouse_service;
grant select, insert, update, delete on commands to gatehouse_service;
grant select, insert, update, delete on command_queue to gatehouse_service;
grant select, insert, update, delete on command_results to gatehouse_service;
