-- Backwards through the history of edges. With both ends in it, a look-up of one edge never reads all those of a node.
drop index edges_backwards;
create index edges_backwards on edges (organization_id, to_type, to_id, from_type, from_id);
