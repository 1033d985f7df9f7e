import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'

/** The source of an application. */
export interface SourceKey {
  organizationId: string
  applicationId: string
}

interface Link {
  external_id: string
  user_id: string
}

/** Links to users who were not deleted since. */
export const findLinks = (
  db: Queryable,
  { organizationId, applicationId }: SourceKey,
  externalIds: readonly string[],
) =>
  db.many<Link>(sql`
    select l.external_id, l.user_id from import_links l
      join users u on u.organization_id = l.organization_id and u.id = l.user_id and u.deleted_at is null
     where l.organization_id = ${organizationId} and l.application_id = ${applicationId}
       and l.external_id = any(${externalIds}::text[])`)

export const linksOfUsers = (
  db: Queryable,
  { organizationId, applicationId }: SourceKey,
  userIds: readonly string[],
) =>
  db.many<Link>(sql`
    select external_id, user_id from import_links
     where organization_id = ${organizationId} and application_id = ${applicationId}
       and user_id = any(${userIds}::text[])`)

/**
 * Links records that are not linked to another user, or to one who was deleted since. Returns how many. In the order of
 * their ids, so that two callers do not deadlock.
 */
export const saveLinks = (
  tx: Queryable,
  { organizationId, applicationId }: SourceKey,
  links: readonly { externalId: string; userId: string }[],
) =>
  tx.run(sql`
    insert into import_links as l (organization_id, application_id, external_id, user_id)
    select ${organizationId}, ${applicationId}, external_id, user_id
      from unnest(${links.map(({ externalId }) => externalId)}::text[], ${links.map(({ userId }) => userId)}::text[])
             as new (external_id, user_id)
     order by external_id
    on conflict (organization_id, application_id, external_id) do update set user_id = excluded.user_id
     where not exists (
       select from users u
        where u.organization_id = l.organization_id and u.id = l.user_id and u.deleted_at is null)`)

export const deleteLink = (
  tx: Queryable,
  { organizationId, applicationId }: SourceKey,
  externalId: string,
  userId: string,
) =>
  tx.run(sql`
    delete from import_links
     where organization_id = ${organizationId} and application_id = ${applicationId}
       and external_id = ${externalId} and user_id = ${userId}`)

/** The linked users whom so many complete reads in a row did not have, and this one neither. */
export const absentUsers = (
  db: Queryable,
  { organizationId, applicationId }: SourceKey,
  batchId: string,
  absences: number,
) =>
  db.many<Link>(sql`
    select l.external_id, l.user_id
      from import_links l
     where l.organization_id = ${organizationId} and l.application_id = ${applicationId}
       and l.absences >= ${absences}
       and not exists (
         select from batch_rows r
          where r.organization_id = ${organizationId} and r.batch_id = ${batchId} and r.key = l.external_id)
     order by l.external_id`)

export const countAbsences = (
  tx: Queryable,
  { organizationId, applicationId }: SourceKey,
  batchId: string,
) =>
  tx.run(sql`
    with seen as (
      select l.external_id, exists (
        select from batch_rows r
         where r.organization_id = ${organizationId} and r.batch_id = ${batchId} and r.key = l.external_id) as here
        from import_links l
       where l.organization_id = ${organizationId} and l.application_id = ${applicationId})
    update import_links l set absences = case when seen.here then 0 else l.absences + 1 end
      from seen
     where l.organization_id = ${organizationId} and l.application_id = ${applicationId}
       and l.external_id = seen.external_id and (not seen.here or l.absences > 0)`)
