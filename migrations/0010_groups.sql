-- Groups of users and of systems. Their members and associations are edges of the graph; their attributes are also
-- those of their node, where traversals read them.

create table groups (
  organization_id object_id not null,
  type text not null check (type in ('user_group', 'system_group')),
  id object_id not null,
  name text not null,
  description text not null default '',
  email text not null default '',
  attributes jsonb,
  membership_method text not null default 'STATIC'
    check (membership_method in ('NOTSET', 'STATIC', 'DYNAMIC_REVIEW_REQUIRED', 'DYNAMIC_AUTOMATED')),
  -- As it was sent, in either of its two forms; read by member-query.ts.
  member_query jsonb,
  -- Members that the rule neither adds nor takes away.
  exempt_ids text[] not null default '{}',
  error_flags text[] not null default '{}',
  suggestions_notify boolean not null default false,
  created timestamptz(3) not null default now(),
  -- Deleted, and can be restored for a while.
  deleted_at timestamptz(3),
  primary key (organization_id, id),
  unique (organization_id, type, id),
  foreign key (organization_id, type, id) references nodes (organization_id, type, id)
);
call protect_tenant_table('groups');
create unique index groups_name on groups (organization_id, type, lower(name)) where deleted_at is null;
create index groups_living on groups (organization_id, type, id) where deleted_at is null;
create index groups_dynamic on groups (organization_id, type)
  where deleted_at is null and membership_method in ('DYNAMIC_REVIEW_REQUIRED', 'DYNAMIC_AUTOMATED');
create index groups_deleted on groups (deleted_at) where deleted_at is not null;

-- What the rule of a group under review would change.
create table group_suggestions (
  organization_id object_id not null,
  group_id object_id not null,
  member_id object_id not null,
  op text not null check (op in ('add', 'remove')),
  created timestamptz(3) not null default now(),
  primary key (organization_id, group_id, member_id),
  foreign key (organization_id, group_id) references groups (organization_id, id) on delete cascade
);
call protect_tenant_table('group_suggestions');

grant select, insert, update, delete on groups to gatehouse_service;
grant select, insert, update, delete on group_suggestions to gatehouse_service;
