-- What keeps lists of a large directory quick.

-- Names and addresses are searched along these indexes. With the id they tell who was found, and no row needs to be read.
drop index users_username;
create unique index users_username on users (organization_id, username_key) include (id) where deleted_at is null;
drop index users_email;
create unique index users_email on users (organization_id, email_key) include (id) where deleted_at is null;

-- How many members groups have and how many they could have, so that nobody must count them for a total. A change adds
-- a row instead of changing a number: nobody waits for anybody else who changes the same group.
create table graph_counts (
  organization_id object_id not null,
  type text not null,
  -- The group whose members these are; empty for all living nodes of the type.
  id text collate "C" not null,
  nr bigint generated always as identity,
  change bigint not null,
  primary key (organization_id, type, id, nr) include (change)
);
call protect_tenant_table('graph_counts');
-- Update is for the lock alone.
grant select, insert, update, delete on graph_counts to gatehouse_service;

-- Makes one row of those of a count. What somebody else adds up at this moment is left to them.
create function add_up_count(organization text, counted text, key text) returns void
  language sql as $$
    with gone as (
      delete from graph_counts where organization_id = organization and ctid = any(array(
        select ctid from graph_counts where organization_id = organization and type = counted and id = key
         limit 1000 for update skip locked))
      returning change
    )
    insert into graph_counts (organization_id, type, id, change)
    select organization, counted, key, sum(change) from gone having sum(change) <> 0
$$;
create function change_count(organization text, counted text, key text, by bigint) returns void
  language plpgsql as $$
begin
  insert into graph_counts (organization_id, type, id, change) values (organization, counted, key, by);
  if random() < 0.01 then
    perform add_up_count(organization, counted, key);
  end if;
end $$;

-- The argument is what one node counts.
create function count_node() returns trigger
  language plpgsql as $$
declare
  node nodes := coalesce(new, old);
begin
  perform change_count(node.organization_id, node.type, '', tg_argv[0]::bigint);
  return null;
end $$;
create function is_member_type(type text) returns boolean
  language sql immutable parallel safe
  return type in ('user', 'system', 'policy');
create trigger count_added after insert on nodes for each row
  when (is_member_type(new.type) and new.deleted_at is null) execute function count_node('1');
create trigger count_restored after update on nodes for each row
  when (is_member_type(new.type) and old.deleted_at is not null and new.deleted_at is null) execute function count_node('1');
create trigger count_deleted after update on nodes for each row
  when (is_member_type(new.type) and old.deleted_at is null and new.deleted_at is not null) execute function count_node('-1');
create trigger count_gone after delete on nodes for each row
  when (is_member_type(old.type) and old.deleted_at is null) execute function count_node('-1');

-- By statement: one may end all the edges of a large group.
create function is_membership(from_type text, to_type text) returns boolean
  language sql immutable parallel safe
  return (from_type, to_type) in (('user_group', 'user'), ('system_group', 'system'), ('policy_group', 'policy'));
create function count_added_members() returns trigger
  language plpgsql as $$
begin
  perform change_count(organization_id, from_type, from_id, count(*)) from added
    where is_membership(from_type, to_type) and valid_until is null group by organization_id, from_type, from_id;
  return null;
end $$;
create function count_gone_members() returns trigger
  language plpgsql as $$
begin
  perform change_count(organization_id, from_type, from_id, -count(*)) from gone
    where is_membership(from_type, to_type) and valid_until is null group by organization_id, from_type, from_id;
  return null;
end $$;
create trigger count_added after insert on edges
  referencing new table as added for each statement execute function count_added_members();
create trigger count_gone after delete on edges
  referencing old table as gone for each statement execute function count_gone_members();
create trigger count_after after update on edges
  referencing new table as added for each statement execute function count_added_members();
create trigger count_before after update on edges
  referencing old table as gone for each statement execute function count_gone_members();

-- From the beginning, while nobody else writes: here, where the triggers keep everybody out, and after a restore.
create procedure recount_graph()
  language sql as $$
    delete from graph_counts;
    insert into graph_counts (organization_id, type, id, change)
    select organization_id, type, '', count(*) from nodes
     where is_member_type(type) and deleted_at is null group by organization_id, type;
    insert into graph_counts (organization_id, type, id, change)
    select organization_id, from_type, from_id, count(*) from edges
     where is_membership(from_type, to_type) and valid_until is null group by organization_id, from_type, from_id;
$$;
call recount_graph();
