-- What a tenant has chosen about its events: for how many days it keeps them. Defaults stand in the program.
create table event_settings (
  organization_id object_id not null,
  name text not null check (name = 'retention_days'),
  value integer not null check (value between 1 and 3650),
  primary key (organization_id, name)
);
call protect_tenant_table('event_settings');
grant select, insert, update, delete on event_settings to gatehouse_service;

-- Every tenant that has events or has chosen; days is null where it has not. Runs as the owner: the service sees one
-- tenant at a time. From one tenant to the next by the index: a scan would read every event.
create function event_tenants() returns table (organization_id text, days integer)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    with recursive tenants (id) as (
      (select e.organization_id::text collate "C" from events e order by e.organization_id limit 1)
      union all
      select (select e.organization_id::text collate "C" from events e
               where e.organization_id > t.id order by e.organization_id limit 1)
        from tenants t where t.id is not null
    )
    select coalesce(t.id, chosen.organization_id), chosen.value
      from (select id from tenants where id is not null) t
      full join event_settings chosen on chosen.organization_id = t.id;
  end;
revoke execute on function event_tenants() from public;
grant execute on function event_tenants() to gatehouse_service;
