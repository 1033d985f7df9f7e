-- Segments (decision 0017): events older than some minutes are sealed, some thousand consecutive ones at a time, into
-- compressed documents and columns. Never updated: a segment is replaced or deleted as a whole.

create table event_segments (
  organization_id object_id not null,
  -- Never used again, not even after a restore, so that processes may cache what they have read of it.
  id uuid not null,
  -- Those of an organization do not overlap.
  first_time timestamptz(3) not null,
  first_id uuid not null,
  last_time timestamptz(3) not null,
  last_id uuid not null,
  events integer not null check (events > 0),
  -- Events of each service.
  services jsonb not null,
  -- The layout of all bytes of the segment; see server/insights/segments.
  format smallint not null,
  times bytea not null,
  -- The place of the first event of each frame; null when all but the last are full.
  frame_starts integer[],
  -- Fields that occur but have no column; null for too many to list.
  unlisted text[],
  primary key (organization_id, last_time, last_id),
  unique (organization_id, id)
);
alter table event_segments alter column times set storage external;
call protect_tenant_table('event_segments');

-- Documents of consecutive events, compressed together, with their ids.
create table event_frames (
  organization_id object_id not null,
  segment_id uuid not null,
  -- The place of its first event in the segment.
  start integer not null,
  data bytea not null,
  primary key (organization_id, segment_id, start),
  foreign key (organization_id, segment_id) references event_segments (organization_id, id) on delete cascade
-- Compressed already, and quickest to read in place.
) with (toast_tuple_target = 8160);
alter table event_frames alter column data set storage external;
call protect_tenant_table('event_frames');

-- The values of one field in all events of a segment.
create table event_columns (
  organization_id object_id not null,
  segment_id uuid not null,
  field text collate "C" not null,
  data bytea not null,
  primary key (organization_id, segment_id, field),
  foreign key (organization_id, segment_id) references event_segments (organization_id, id) on delete cascade
) with (toast_tuple_target = 8160);
alter table event_columns alter column data set storage external;
call protect_tenant_table('event_columns');

-- As for events: readers may act for several organizations at once.
alter policy tenant on event_segments
  using (organization_id = any (current_tenants())) with check (organization_id = current_tenant());
alter policy tenant on event_frames
  using (organization_id = any (current_tenants())) with check (organization_id = current_tenant());
alter policy tenant on event_columns
  using (organization_id = any (current_tenants())) with check (organization_id = current_tenant());

grant select, insert, delete on event_segments, event_frames, event_columns to gatehouse_service;

-- Tenants with that many events before an instant that are not sealed. Runs as the owner: the service sees one tenant
-- at a time.
create function organizations_to_seal(until timestamptz, enough integer) returns setof text
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select t.id from (select id from organizations union all select id from providers) t
     where (select count(*) from (
              select from events e where e.organization_id = t.id and e.timestamp < until limit enough) waiting) >= enough;
  end;
revoke execute on function organizations_to_seal(timestamptz, integer) from public;
grant execute on function organizations_to_seal(timestamptz, integer) to gatehouse_service;

-- Whether a tenant has an event after a cursor and before an instant that is not in the future.
create function has_events_between(organization text, after_time timestamptz, after_id uuid, before timestamptz) returns boolean
  language sql stable
  begin atomic
    select exists (select from events e
                    where e.organization_id = organization and e.timestamp >= after_time and e.timestamp < before
                      and (e.timestamp, e.id) > (after_time, after_id))
        or exists (select from event_segments s
                    where s.organization_id = organization and s.last_time < before
                      and (s.last_time, s.last_id) > (after_time, after_id));
  end;

-- Sealed events count as well.
create or replace function event_tenants() returns table (organization_id text, days integer)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    with recursive tenants (id) as (
      (select e.organization_id::text collate "C" from events e order by e.organization_id limit 1)
      union all
      select (select e.organization_id::text collate "C" from events e
               where e.organization_id > t.id order by e.organization_id limit 1)
        from tenants t where t.id is not null
    ), sealed (id) as (
      (select s.organization_id::text collate "C" from event_segments s order by s.organization_id limit 1)
      union all
      select (select s.organization_id::text collate "C" from event_segments s
               where s.organization_id > t.id order by s.organization_id limit 1)
        from sealed t where t.id is not null
    )
    select coalesce(t.id, chosen.organization_id), chosen.value
      from (select id from tenants where id is not null union select id from sealed where id is not null) t
      full join event_settings chosen on chosen.organization_id = t.id;
  end;

-- What segments replace.
drop function organizations_to_digest(timestamptz, integer);
drop table event_digest_lists, event_digests;
