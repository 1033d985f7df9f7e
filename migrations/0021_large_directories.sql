-- What keeps lists of a large directory quick.

-- Names and addresses are searched along these indexes. With the id they tell who was found, and no row needs to be read.
drop index users_username;
create unique index users_username on users (organization_id, username_key) include (id) where deleted_at is null;
drop index users_email;
create unique index users_email on users (organization_id, email_key) include (id) where deleted_at is null;

-- How many members a group could have.
create index nodes_living on nodes (organization_id, type) where deleted_at is null;

-- How many members it has: the sum of its rows. A change adds a row instead of changing a number, so nobody waits for
-- anybody else who changes the same group.
create table member_counts (
  organization_id object_id not null,
  type text not null,
  id object_id not null,
  nr bigint generated always as identity,
  change bigint not null,
  primary key (organization_id, type, id, nr) include (change)
);
call protect_tenant_table('member_counts');
-- Update is for the lock alone.
grant select, insert, update, delete on member_counts to gatehouse_service;

-- Makes one row of those of a group. What somebody else adds up at this moment is left to them.
create function add_up_members(organization text, group_type text, group_id text) returns void
  language sql as $$
    with gone as (
      delete from member_counts where organization_id = organization and ctid = any(array(
        select ctid from member_counts where organization_id = organization and type = group_type and id = group_id
         limit 1000 for update skip locked))
      returning change
    )
    insert into member_counts (organization_id, type, id, change)
    select organization, group_type, group_id, sum(change) from gone having sum(change) <> 0
$$;
-- One change in a hundred adds up.
create function change_members(organization text, group_type text, group_id text, by bigint) returns void
  language plpgsql as $$
begin
  insert into member_counts (organization_id, type, id, change) values (organization, group_type, group_id, by);
  if random() < 0.01 then
    perform add_up_members(organization, group_type, group_id);
  end if;
end $$;

create function is_membership(from_type text, to_type text) returns boolean
  language sql immutable parallel safe
  return (from_type, to_type) in (('user_group', 'user'), ('system_group', 'system'), ('policy_group', 'policy'));
create function count_added_members() returns trigger
  language plpgsql as $$
begin
  perform change_members(organization_id, from_type, from_id, count(*)) from added
    where is_membership(from_type, to_type) and valid_until is null group by organization_id, from_type, from_id;
  return null;
end $$;
create function count_gone_members() returns trigger
  language plpgsql as $$
begin
  perform change_members(organization_id, from_type, from_id, -count(*)) from gone
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
create procedure recount_members()
  language sql as $$
    delete from member_counts;
    insert into member_counts (organization_id, type, id, change)
    select organization_id, from_type, from_id, count(*) from edges
     where is_membership(from_type, to_type) and valid_until is null group by organization_id, from_type, from_id;
$$;
call recount_members();
