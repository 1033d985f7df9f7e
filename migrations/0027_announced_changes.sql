-- Who changes keys, roles or links announces it (server/admins/credential-cache.ts), where a reader sees it.
drop trigger announce on administrators;
drop trigger announce on credentials;
drop trigger announce on administrator_organizations;
drop trigger announce on organizations;
drop trigger announce on roles;
drop trigger announce on service_accounts;
drop trigger announce on access_tokens;
drop trigger announce on sessions;
drop function announce_credential_change();

-- What becomes of the saved searches of a deleted administrator is said by the action that deletes. As the owner of the
-- tables, because there may be some in several tenants; of administrators who are gone only, so that nobody else's are
-- within reach.
drop trigger leave_saved_searches on administrators;
drop function leave_saved_searches();
create function leave_saved_searches(administrator text) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select from administrators where id = administrator) then
    raise exception 'administrator % still exists', administrator;
  end if;
  delete from saved_searches where owner = administrator and not shared;
  update saved_searches set owner = null where owner = administrator;
end $$;
revoke execute on function leave_saved_searches(text) from public;
grant execute on function leave_saved_searches(text) to gatehouse_service;
