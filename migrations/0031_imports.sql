-- Imports of people: the source of an application, which of its records is which user, and an uploaded file.

create table import_sources (
  organization_id object_id not null,
  application_id object_id not null,
  -- Names the connection in events.
  idm_client_id object_id not null,
  settings jsonb not null,
  -- Sealed; null: the source needs none.
  secret text,
  -- What was learnt about the dialect of a SCIM source.
  quirks jsonb not null default '{}',
  -- The next scheduled run; null: none.
  next_run_at timestamptz(3),
  created timestamptz(3) not null default now(),
  updated timestamptz(3) not null default now(),
  primary key (organization_id, application_id),
  foreign key (organization_id, application_id) references applications (organization_id, id) on delete cascade
);
call protect_tenant_table('import_sources');

-- A record of the source that is known to be a user.
create table import_links (
  organization_id object_id not null,
  application_id object_id not null,
  external_id text not null,
  user_id object_id not null,
  -- Complete reads in a row that did not have the record.
  absences integer not null default 0,
  created timestamptz(3) not null default now(),
  primary key (organization_id, application_id, external_id),
  unique (organization_id, application_id, user_id),
  foreign key (organization_id, application_id)
    references import_sources (organization_id, application_id) on delete cascade,
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
create index on import_links (organization_id, user_id);
call protect_tenant_table('import_links');

-- The file of a source without an address.
create table import_files (
  organization_id object_id not null,
  application_id object_id not null,
  name text not null,
  content bytea not null,
  created timestamptz(3) not null default now(),
  primary key (organization_id, application_id),
  foreign key (organization_id, application_id)
    references import_sources (organization_id, application_id) on delete cascade
);
alter table import_files alter column content set storage external;
call protect_tenant_table('import_files');

grant select, insert, update, delete on import_sources, import_links, import_files to gatehouse_service;
