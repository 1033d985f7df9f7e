-- Digests (decision 0005): each tells which values some hundred consecutive events of an organization have, so
-- that a search can pass over them without reading one.

create table event_digests (
  organization_id object_id not null,
  -- All events of the organization with from_time <= timestamp < until_time.
  from_time timestamptz(3) not null,
  until_time timestamptz(3) not null check (until_time > from_time),
  events integer not null,
  -- False when there were too many events or fields to list: then there can be anything.
  listed boolean not null,
  primary key (organization_id, from_time)
);
call protect_tenant_table('event_digests');

create table event_digest_lists (
  organization_id object_id not null,
  -- Empty for the list of the times of the events.
  field text collate "C" not null,
  from_time timestamptz(3) not null,
  -- See digest.ts; null when it would be too long.
  list text,
  -- Four characters for each value of the list: what is asked for as a whole is looked for here, in a fifth of the text.
  marks text,
  primary key (organization_id, field, from_time)
-- Whole fields are read again and again, and quick only where the lists are in place and not packed.
) with (toast_tuple_target = 8160);
alter table event_digest_lists alter column list set storage external;
call protect_tenant_table('event_digest_lists');

-- As for events: readers may act for several organizations at once.
alter policy tenant on event_digests
  using (organization_id = any (current_tenants()))
  with check (organization_id = current_tenant());
alter policy tenant on event_digest_lists
  using (organization_id = any (current_tenants()))
  with check (organization_id = current_tenant());

grant select, insert, update, delete on event_digests to gatehouse_service;
grant select, insert, update, delete on event_digest_lists to gatehouse_service;

-- Whoever writes events of the past (import, demo) holds this lock shared; who makes digests, alone. So a digest
-- never misses an event that was about to be committed. Two numbers: event_watermark() looks at locks of one.
create function lock_past_events(organization text, alone boolean) returns void
  language plpgsql volatile as $$
begin
  if alone then
    perform pg_advisory_xact_lock(47182, hashtext(organization));
  else
    perform pg_advisory_xact_lock_shared(47182, hashtext(organization));
  end if;
end $$;

-- Tenants with a gap between their digests, events before the first or enough of them after the last. Runs as the
-- owner: the service sees one tenant at a time.
create function organizations_to_digest(until timestamptz, enough integer) returns setof text
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    with tenants as (
      select id from organizations union all select id from providers
    ), edges as (
      select organization_id, from_time, until_time,
             lag(until_time) over (partition by organization_id order by from_time) as before
        from event_digests
    ), covered as (
      select organization_id, min(from_time) as first, max(until_time) as last, bool_or(before < from_time) as gap
        from edges group by organization_id
    )
    select t.id from tenants t left join covered c on c.organization_id = t.id
     where c.gap
        or exists (select from events e where e.organization_id = t.id and e.timestamp < c.first)
        or (select count(*) from (
              select from events e
               where e.organization_id = t.id and e.timestamp >= coalesce(c.last, '-infinity') and e.timestamp < until
               limit enough) tail) >= enough;
  end;
revoke execute on function organizations_to_digest(timestamptz, integer) from public;
grant execute on function organizations_to_digest(timestamptz, integer) to gatehouse_service;
