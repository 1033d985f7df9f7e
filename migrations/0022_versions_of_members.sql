-- The rows of a group tell by who wrote them whether its members have changed. So a change that is added up must leave
-- a row, even one of zero: else those of a change that takes one member and brings another could be gone without a trace.
create or replace function add_up_members(organization text, group_type text, group_id text) returns void
  language sql as $$
    with gone as (
      delete from member_counts where organization_id = organization and ctid = any(array(
        select ctid from member_counts where organization_id = organization and type = group_type and id = group_id
         limit 1000 for update skip locked))
      returning change
    )
    insert into member_counts (organization_id, type, id, change)
    select organization, group_type, group_id, sum(change) from gone having count(*) > 0
$$;
