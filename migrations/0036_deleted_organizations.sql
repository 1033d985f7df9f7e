-- An organization is deleted at once for everybody, and its data some weeks later.
alter table organizations add column deleted_at timestamptz(3);
create index organizations_deleted on organizations (deleted_at) where deleted_at is not null;

-- For queries across tenants, which see an organization only by its id.
create function is_deleted(tenant text) returns boolean
  language sql stable parallel safe
  return exists (select from organizations where id = tenant and deleted_at is not null);

-- Its rows are deleted table by table.
grant delete on organizations, unix_ids_by_hand to gatehouse_service;
