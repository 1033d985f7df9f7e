-- What is connected with what. Every record that can be bound or grouped (users, groups, systems, applications …) is
-- a node; its own slice keeps the rest of it.

create table nodes (
  organization_id object_id not null,
  type text not null,
  id object_id not null,
  -- What a traversal shows and compiles: those of groups, mostly.
  attributes jsonb,
  -- Deleted, and can be restored for a while.
  deleted_at timestamptz(3),
  primary key (organization_id, type, id)
);
call protect_tenant_table('nodes');

-- An edge that is taken away stays with its end, so that the graph of any moment can be asked for.
create table edges (
  organization_id object_id not null,
  -- From the one who gains to what is gained (user to application), and from a group to its members; see pairs.ts.
  from_type text not null,
  from_id object_id not null,
  to_type text not null,
  to_id object_id not null,
  attributes jsonb,
  -- To the microsecond: an edge may end and come back within a millisecond.
  valid_from timestamptz not null default clock_timestamp(),
  valid_until timestamptz,
  -- The events that tell who made and who ended it.
  granted_by uuid,
  ended_by uuid,
  -- True when it ended because one of its nodes was deleted: it comes back with that node.
  ended_with_node boolean not null default false,
  primary key (organization_id, from_type, from_id, to_type, to_id, valid_from),
  foreign key (organization_id, from_type, from_id) references nodes (organization_id, type, id),
  foreign key (organization_id, to_type, to_id) references nodes (organization_id, type, id)
);
call protect_tenant_table('edges');
create unique index edges_now on edges (organization_id, from_type, from_id, to_type, to_id) where valid_until is null;
create index edges_now_backwards on edges (organization_id, to_type, to_id, from_type, from_id) where valid_until is null;
create index edges_backwards on edges (organization_id, to_type, to_id);

grant select, insert, update, delete on nodes to gatehouse_service;
grant select, insert, update, delete on edges to gatehouse_service;
