-- The totals of lists: how many records of a type are not deleted, as the sum of its rows. The statements that write nodes
-- keep it (server/graph/counts-sql.ts).
create table node_counts (
  organization_id object_id not null,
  type text not null,
  nr bigint generated always as identity,
  nodes bigint not null,
  primary key (organization_id, type, nr)
);
call protect_tenant_table('node_counts');
grant select, insert, update, delete on node_counts to gatehouse_service;

-- From the beginning, while nobody else writes: here and after a restore.
create procedure recount_nodes()
  language sql as $$
    delete from node_counts;
    insert into node_counts (organization_id, type, nodes)
    select organization_id, type, count(*) from nodes where deleted_at is null group by organization_id, type;
$$;
lock table nodes in share row exclusive mode;
call recount_nodes();

-- Search of users by parts of their names.
create extension if not exists pg_trgm with schema public;

-- Each field as searches compare it (server/platform/list/conditions.ts). As bytes, those beyond ASCII in octal: where the
-- locale is C, trigrams are made of ASCII only.
create function user_words(username_key text, email_key text, firstname text, lastname text, profile jsonb) returns text
  language sql immutable strict parallel safe
  return encode(convert_to(username_key || E'\n' || email_key || E'\n' || lower(firstname collate folding) || E'\n' ||
                           lower(lastname collate folding) || E'\n' ||
                           lower(coalesce(profile ->> 'displayname', '') collate folding), 'UTF8'), 'escape');
-- A search reads all pending entries, so they are few.
create index users_by_words on users
  using gin (user_words(username_key, email_key, firstname, lastname, profile) gin_trgm_ops)
  with (gin_pending_list_limit = 256) where deleted_at is null;

-- Users of the tenant who may match one of the terms, at most so many for each. Row-level security keeps LIKE from an
-- index, since a condition that can fail could tell about rows of others. The owner of the table, as whom this runs, is
-- exempt; so the tenant is a condition here.
create function search_users(terms text[], most integer) returns table (id text)
  language plpgsql stable security definer
  set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  word text;
begin
  for word in
    select distinct encode(convert_to(folded, 'UTF8'), 'escape')
      from unnest(terms) as t (term), lateral (values (fold(term)), (lower(term collate folding))) as f (folded)
  loop
    return query
      select u.id::text from users u
       where u.organization_id = current_tenant() and u.deleted_at is null
         and user_words(u.username_key, u.email_key, u.firstname, u.lastname, u.profile)
             like '%' || regexp_replace(word, '([\\%_])', '\\\1', 'g') || '%'
       limit most;
  end loop;
end $$;
revoke all on function search_users from public;
grant execute on function search_users to gatehouse_service;
