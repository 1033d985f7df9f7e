-- Is one system among those that a command runs on (filter=object_id:$eq:…)?
with
system_groups as materialized (
  select distinct id
  from (
    select e1.from_id::text as id
    from edges e1
    where e1.to_id = :start::text
      and e1.organization_id = :organization
      and e1.from_type = 'system_group'
      and e1.to_type = 'command'
      and e1.valid_until is null
  ) ids
),
reachable as materialized (
  select r.id, r.type
  from (
    select distinct id, 'system'::text as type
    from (
      select e1.from_id::text as id
      from edges e1
      where e1.to_id = :start::text
        and e1.organization_id = :organization
        and e1.from_type = 'system'
        and e1.to_type = 'command'
        and e1.valid_until is null
      union all
      select e1.to_id::text as id
      from system_groups g, edges e1
      where e1.from_id = g.id
        and e1.organization_id = :organization
        and e1.from_type = 'system_group'
        and e1.to_type = 'system'
        and e1.valid_until is null
    ) ids
  ) r
  where (r.id = :id::text)
),
page as materialized (
  select r.type, r.id from reachable r order by r.id::text collate "C" asc nulls first, r.type limit :limit offset :skip
),
system_group_members as materialized (
  select e1.*
  from page r
    cross join lateral (
      select e1.from_id::text as group_id, e1.to_id::text as id, attributes
      from edges e1
      where e1.to_id = r.id
        and e1.organization_id = :organization
        and e1.from_type = 'system_group'
        and e1.to_type = 'system'
        and e1.valid_until is null
        and (e1.from_id::text in (select id from system_groups)) is true
      offset 0
    ) e1
  where r.type = 'system'
),
paths as (
  select
    'system' as type,
    r.id,
    '0'::int as chain,
    json_build_array(
      json_build_object(
        'attributes', e1.attributes,
        'to', json_build_object(
          'attributes', (select attributes from nodes where organization_id = :organization and type = 'system' and id = r.id),
          'id', r.id,
          'type', 'system'
        )
      )
    ) as path
  from page r
    cross join lateral (
      select attributes
      from edges e1
      where e1.to_id = :start::text
        and e1.from_id = r.id
        and e1.organization_id = :organization
        and e1.from_type = 'system'
        and e1.to_type = 'command'
        and e1.valid_until is null
      offset 0
    ) e1
  where r.type = 'system'
  union all
  select
    'system' as type,
    r.id,
    '1'::int as chain,
    json_build_array(
      json_build_object(
        'attributes', e1.attributes,
        'to', json_build_object(
          'attributes', (
            select attributes from nodes where organization_id = :organization and type = 'system_group' and id = r.group_id
          ),
          'id', r.group_id,
          'type', 'system_group'
        )
      ),
      json_build_object(
        'attributes', r.attributes,
        'to', json_build_object(
          'attributes', (select attributes from nodes where organization_id = :organization and type = 'system' and id = r.id),
          'id', r.id,
          'type', 'system'
        )
      )
    ) as path
  from system_group_members r
    cross join lateral (
      select attributes
      from edges e1
      where e1.to_id = :start::text
        and e1.from_id = r.group_id
        and e1.organization_id = :organization
        and e1.from_type = 'system_group'
        and e1.to_type = 'command'
        and e1.valid_until is null
      offset 0
    ) e1
)
select
  exists (
    select from nodes where organization_id = :organization and type = 'command' and id = :start and deleted_at is null
  ) as known,
  (select count(*) from reachable) as total,
  coalesce(
    (
      select json_agg(
        json_build_object('type', r.type, 'id', r.id, 'paths', r.paths) order by r.id::text collate "C" asc nulls first, r.type
      )
      from (select type, id, json_agg(path order by chain) as paths from paths group by type, id) r
    ),
    '[]'::json
  ) as results
