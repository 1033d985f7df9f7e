-- Event queries that administrators keep for themselves or share with their organization.
create table saved_searches (
  organization_id object_id not null,
  id object_id not null,
  -- The administrator. A shared one survives its owner and then belongs to nobody.
  owner object_id,
  name text not null,
  description text not null,
  shared boolean not null,
  -- json, not jsonb: it comes back in the order it was written in.
  query json not null,
  columns text[] not null,
  created timestamptz(3) not null default now(),
  updated timestamptz(3) not null default now(),
  primary key (organization_id, id),
  check (owner is not null or shared)
);
create unique index saved_searches_name on saved_searches (organization_id, owner, lower(name));
call protect_tenant_table('saved_searches');
grant select, insert, update, delete on saved_searches to gatehouse_service;

-- Private ones go with their owner. As the owner of the tables: an administrator may have some in several tenants.
create function leave_saved_searches() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from saved_searches where owner = old.id and not shared;
  update saved_searches set owner = null where owner = old.id;
  return null;
end $$;
revoke execute on function leave_saved_searches() from public;
create trigger leave_saved_searches after delete on administrators for each row execute function leave_saved_searches();
