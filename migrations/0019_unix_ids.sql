-- Numbers of users that were set by hand, as unix_uid or unix_guid, now or once. Files on systems may belong to them, so
-- nobody is given one of them automatically.
create table unix_ids_by_hand (
  organization_id object_id not null,
  id bigint not null,
  primary key (organization_id, id)
);
call protect_tenant_table('unix_ids_by_hand');
grant select, insert on unix_ids_by_hand to gatehouse_service;

-- What lies before the counter is never given out again, however it came about.
insert into unix_ids_by_hand (organization_id, id)
select distinct u.organization_id, n.id
  from users u
  left join user_counters c on c.organization_id = u.organization_id and c.name = 'unix_uid'
  cross join lateral (values (u.unix_uid), (u.unix_guid)) as n (id)
 where n.id >= coalesce(c.next, 5001);

-- What is locked to the end of the transaction: a number is either given or set by hand, one after the other.
create function unix_id_lock(organization text, number bigint) returns bigint
  language sql immutable parallel safe
  return hashtextextended('unix id ' || organization || ' ' || number::text, 0);

-- In PL/pgSQL, where each statement sees what was committed before it: the second must see what the first waited for.
create function unix_id_is_free(organization text, number bigint) returns boolean
  language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(unix_id_lock(organization, number));
  return not exists (select from unix_ids_by_hand where organization_id = organization and id = number);
end $$;
