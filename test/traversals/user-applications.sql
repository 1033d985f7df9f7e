-- Which applications can a user sign in to, directly or through groups?
with
user_group_to_application as materialized (
  select e1.from_id::text as group_id, e2.to_id::text as id
  from edges e1, edges e2
  where e1.to_id = :start::text
    and e1.organization_id = :organization
    and e1.from_type = 'user_group'
    and e1.to_type = 'user'
    and e1.valid_until is null
    and e2.from_id = e1.from_id
    and e2.organization_id = :organization
    and e2.from_type = 'user_group'
    and e2.to_type = 'application'
    and e2.valid_until is null
),
reachable as materialized (
  select r.id, r.type
  from (
    select distinct id, 'application'::text as type
    from (
      select e1.to_id::text as id
      from edges e1
      where e1.from_id = :start::text
        and e1.organization_id = :organization
        and e1.from_type = 'user'
        and e1.to_type = 'application'
        and e1.valid_until is null
      union all
      select id
      from user_group_to_application
    ) ids
  ) r
  where true
),
page as materialized (select r.type, r.id from reachable r order by r.id, r.type limit :limit offset :skip),
paths as (
  select
    'application' as type,
    r.id,
    '0'::int as chain,
    json_build_array(
      json_build_object(
        'attributes', e1.attributes,
        'to', json_build_object(
          'attributes', (
            select attributes from nodes where organization_id = :organization and type = 'application' and id = r.id
          ),
          'id', r.id,
          'type', 'application'
        )
      )
    ) as path
  from page r
    cross join lateral (
      select attributes
      from edges e1
      where e1.from_id = :start::text
        and e1.to_id = r.id
        and e1.organization_id = :organization
        and e1.from_type = 'user'
        and e1.to_type = 'application'
        and e1.valid_until is null
      offset 0
    ) e1
  where r.type = 'application'
  union all
  select
    'application' as type,
    r.id,
    '1'::int as chain,
    json_build_array(
      json_build_object(
        'attributes', e1.attributes,
        'to', json_build_object(
          'attributes', (
            select attributes from nodes where organization_id = :organization and type = 'user_group' and id = a.group_id
          ),
          'id', a.group_id,
          'type', 'user_group'
        )
      ),
      json_build_object(
        'attributes', e2.attributes,
        'to', json_build_object(
          'attributes', (
            select attributes from nodes where organization_id = :organization and type = 'application' and id = r.id
          ),
          'id', r.id,
          'type', 'application'
        )
      )
    ) as path
  from page r
    join user_group_to_application a on a.id = r.id
    cross join lateral (
      select attributes
      from edges e1
      where e1.to_id = :start::text
        and e1.from_id = a.group_id
        and e1.organization_id = :organization
        and e1.from_type = 'user_group'
        and e1.to_type = 'user'
        and e1.valid_until is null
      offset 0
    ) e1
    cross join lateral (
      select attributes
      from edges e2
      where e2.from_id = a.group_id
        and e2.to_id = r.id
        and e2.organization_id = :organization
        and e2.from_type = 'user_group'
        and e2.to_type = 'application'
        and e2.valid_until is null
      offset 0
    ) e2
  where r.type = 'application'
)
select
  exists (
    select from nodes where organization_id = :organization and type = 'user' and id = :start and deleted_at is null
  ) as known,
  (select count(*) from reachable) as total,
  coalesce(
    (
      select json_agg(json_build_object('type', r.type, 'id', r.id, 'paths', r.paths) order by r.id, r.type)
      from (select type, id, json_agg(path order by chain) as paths from paths group by type, id) r
    ),
    '[]'::json
  ) as results
