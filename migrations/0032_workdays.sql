-- Workday: a report of workers to import from. The name is always the same, so there is one in an organization.
create table workdays (
  organization_id object_id not null,
  id object_id not null,
  name text not null,
  report_url text not null,
  -- Sealed: user name and password. Null: not authorized.
  secret text,
  -- The outcome of the last try to read the report.
  auth_valid boolean not null default false,
  auth_message text not null default '',
  last_import timestamptz(3),
  created timestamptz(3) not null default now(),
  updated timestamptz(3) not null default now(),
  primary key (organization_id, id)
);
create unique index workdays_name on workdays (organization_id, name);
call protect_tenant_table('workdays');

grant select, insert, update, delete on workdays to gatehouse_service;
