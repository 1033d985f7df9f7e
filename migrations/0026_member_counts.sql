-- The sizes of groups are counted by the statements that write edges (server/graph/counts-sql.ts) and added up by a job.
drop trigger count_added on edges;
drop trigger count_gone on edges;
drop trigger count_after on edges;
drop trigger count_before on edges;
drop function count_added_members();
drop function count_gone_members();
drop function change_members(text, text, text, bigint);
drop function add_up_members(text, text, text);
