-- What users have marked and opened in the portal.
create table user_applications (
  organization_id object_id not null,
  user_id object_id not null,
  application_id object_id not null,
  favourite boolean not null default false,
  -- Null: not opened from the portal yet.
  opened_at timestamptz(3),
  primary key (organization_id, user_id, application_id),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade,
  foreign key (organization_id, application_id) references applications (organization_id, id) on delete cascade
);
call protect_tenant_table('user_applications');
create index user_applications_by_application on user_applications (organization_id, application_id);
grant select, insert, update, delete on user_applications to gatehouse_service;
