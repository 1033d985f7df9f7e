-- Statistics of the tables that an import fills. Until they are analyzed, all indexes of a tenant look alike to the planner,
-- and prepared plans stay those for empty tables; autovacuum comes after thousands of rows. Runs as the owner.
create function analyze_grown_tables() returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  name text;
begin
  for name in
    select relname from pg_class
     where oid = any(array['users', 'nodes', 'edges', 'import_links', 'batch_rows']::regclass[])
       and pg_relation_size(oid) > 10 * greatest(relpages, 1) * current_setting('block_size')::bigint
  loop
    execute format('analyze (skip_locked) %I', name);
  end loop;
end $$;
