-- Weekly partitions that end before an instant are dropped as a whole; rows of the default partition one by one.
-- Runs as the owner: the service may not drop tables.
create function drop_event_partitions(before timestamptz) returns integer
  language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' as $$
declare
  partition record;
  dropped integer := 0;
begin
  -- The same lock as the maker of partitions.
  perform pg_advisory_xact_lock(4718236056);
  for partition in
    select c.relname as name, to_date(substr(c.relname, 8), 'IYYY"w"IW') + 7 as ends
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'events'::regclass and c.relname ~ '^events_\d{4}w\d\d$'
  loop
    if partition.ends <= before then
      execute format('drop table %I', partition.name);
      dropped := dropped + 1;
    end if;
  end loop;
  delete from events_default where timestamp < before;
  return dropped;
end $$;
revoke execute on function drop_event_partitions(timestamptz) from public;
grant execute on function drop_event_partitions(timestamptz) to gatehouse_service;
