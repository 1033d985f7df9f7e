-- The totals of lists: how many records of a type are not deleted, as the sum of its rows. The statements that write nodes
-- keep it (server/graph/counts-sql.ts).
create table node_counts (
  organization_id object_id not null,
  type text not null,
  nr bigint generated always as identity,
  nodes bigint not null,
  primary key (organization_id, type, nr)
);
call protect_tenant_table('node_counts');
grant select, insert, update, delete on node_counts to gatehouse_service;

-- From the beginning, while nobody else writes: here and after a restore.
create procedure recount_nodes()
  language sql as $$
    delete from node_counts;
    insert into node_counts (organization_id, type, nodes)
    select organization_id, type, count(*) from nodes where deleted_at is null group by organization_id, type;
$$;
lock table nodes in share row exclusive mode;
call recount_nodes();
