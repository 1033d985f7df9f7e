-- Who is a member of a user group?
with
reachable as not materialized (
  select r.id, r.type
  from (
    select id, 'user'::text as type
    from (
      select e1.to_id::text as id
      from edges e1
      where e1.from_id = :start::text
        and e1.organization_id = :organization
        and e1.from_type = 'user_group'
        and e1.to_type = 'user'
        and e1.valid_until is null
    ) ids
  ) r
  where true
),
page as materialized (select r.type, r.id from reachable r order by r.id, r.type limit :limit offset :skip),
paths as (
  select
    'user' as type,
    r.id,
    '0'::int as chain,
    json_build_array(
      json_build_object(
        'attributes', e1.attributes,
        'to', json_build_object(
          'attributes', (select attributes from nodes where organization_id = :organization and type = 'user' and id = r.id),
          'id', r.id,
          'type', 'user'
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
        and e1.from_type = 'user_group'
        and e1.to_type = 'user'
        and e1.valid_until is null
      offset 0
    ) e1
  where r.type = 'user'
)
select
  exists (
    select from nodes where organization_id = :organization and type = 'user_group' and id = :start and deleted_at is null
  ) as known,
  (
    select coalesce(sum(change), 0)::bigint
    from member_counts
    where organization_id = :organization
      and type = 'user_group'
      and id = :start
  ) as total,
  coalesce(
    (
      select json_agg(json_build_object('type', r.type, 'id', r.id, 'paths', r.paths) order by r.id, r.type)
      from (select type, id, json_agg(path order by chain) as paths from paths group by type, id) r
    ),
    '[]'::json
  ) as results
