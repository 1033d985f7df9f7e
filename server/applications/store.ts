import type { Queryable } from '../platform/db/index.ts'
import { identifier, sql } from '../platform/db/sql.ts'
import { isId } from '../platform/ids.ts'
import type { Field, Resource } from '../platform/list/conditions.ts'
import { type Page, readTenantPage } from '../platform/list/page.ts'
import type { ListQuery } from '../platform/list/query.ts'

export interface ApplicationRow {
  organization_id: string
  id: string
  name: string
  display_name: string
  display_label: string
  description: string
  active: boolean
  beta: boolean
  ai_ready: boolean
  color: string
  learn_more: string
  parent_app: string
  reference_applications: { id: string; orgId: string }[]
  sso_url: string
  slug: string | null
  hidden: boolean
  jit: boolean
  config: Record<string, unknown>
  logo_id: string | null
  certificate_id: string | null
  next_certificate_id: string | null
  previous_certificate_id: string | null
  promote_at: string | null
  created: string
}

const text = (column: string): Field => ({ column: identifier(column), kind: 'string' })
const flag = (column: string): Field => ({ column: identifier(column), kind: 'boolean' })

/** Only SAML has a slug, and only a bookmark has no signing key. */
const ssoType = sql`case when slug is not null then 'saml' when certificate_id is null then 'bookmark' else 'oidc' end`

/** `a` is the row of the list, whose table has more than one alias. */
const certificateExpiry = sql`
  (select c.not_after from (select organization_id, id, certificate_id) a
     join application_certificates c
       on c.organization_id = a.organization_id and c.application_id = a.id and c.id = a.certificate_id)`

const fields: Record<string, Field> = {
  _id: text('id'),
  id: text('id'),
  name: text('name'),
  displayName: text('display_name'),
  displayLabel: text('display_label'),
  description: text('description'),
  active: flag('active'),
  beta: flag('beta'),
  aiReady: flag('ai_ready'),
  color: text('color'),
  organization: text('organization_id'),
  ssoUrl: text('sso_url'),
  learnMore: text('learn_more'),
  parentApp: text('parent_app'),
  created: { column: sql`created`, kind: 'date' },
  'sso.type': { column: ssoType, kind: 'string' },
  'sso.hidden': flag('hidden'),
  'sso.jit': flag('jit'),
  'sso.idpCertExpirationAt': { column: certificateExpiry, kind: 'date' },
}

export const applicationResource = (more: Record<string, Field>): Resource => ({
  fields: { ...fields, ...more },
  defaultSort: 'name',
  tieBreak: sql`id`,
  searchFields: ['name', 'displayName', 'displayLabel', 'description'],
  maxLimit: 1000,
})
/** v2 has additional names for some fields. */
export const applicationResourceV2 = (more: Record<string, Field>): Resource => ({
  ...applicationResource(more),
  fields: {
    ...fields,
    ...more,
    status: { column: sql`case when active then 'active' else 'inactive' end`, kind: 'string' },
    'sso.url': text('sso_url'),
    'sso.active': flag('active'),
  },
  maxLimit: 100,
})

export const readApplications = (
  db: Queryable,
  organizationId: string,
  list: ListQuery,
): Promise<Page<ApplicationRow>> =>
  readTenantPage(db, sql`applications`, organizationId, sql`deleted_at is null`, list)

export const findApplication = (db: Queryable, organizationId: string, id: string) =>
  db.find<ApplicationRow>(sql`
    select * from applications
     where organization_id = ${organizationId} and id = ${id} and deleted_at is null`)

export const lockApplication = (db: Queryable, organizationId: string, id: string) =>
  db.one<ApplicationRow>(sql`
    select * from applications
     where organization_id = ${organizationId} and id = ${id} and deleted_at is null for update`)

export const insertApplication = (db: Queryable, row: Omit<ApplicationRow, 'created'>) =>
  db.one<ApplicationRow>(sql`
    insert into applications (organization_id, id, name, display_name, display_label, description, active, beta, ai_ready,
                              color, learn_more, parent_app, reference_applications, sso_url, slug, hidden, jit, config,
                              certificate_id)
    values (${row.organization_id}, ${row.id}, ${row.name}, ${row.display_name}, ${row.display_label}, ${row.description},
            ${row.active}, ${row.beta}, ${row.ai_ready}, ${row.color}, ${row.learn_more}, ${row.parent_app},
            ${JSON.stringify(row.reference_applications)}, ${row.sso_url}, ${row.slug}, ${row.hidden}, ${row.jit},
            ${JSON.stringify(row.config)}, ${row.certificate_id})
    returning *`)

export const saveApplication = (db: Queryable, row: ApplicationRow) =>
  db.run(sql`
    update applications
       set display_name = ${row.display_name}, display_label = ${row.display_label}, description = ${row.description},
           active = ${row.active}, beta = ${row.beta}, ai_ready = ${row.ai_ready}, color = ${row.color},
           learn_more = ${row.learn_more}, parent_app = ${row.parent_app},
           reference_applications = ${JSON.stringify(row.reference_applications)}, sso_url = ${row.sso_url},
           slug = ${row.slug}, hidden = ${row.hidden}, jit = ${row.jit}, config = ${JSON.stringify(row.config)},
           logo_id = ${row.logo_id}, certificate_id = ${row.certificate_id},
           next_certificate_id = ${row.next_certificate_id}, previous_certificate_id = ${row.previous_certificate_id},
           promote_at = ${row.promote_at}
     where organization_id = ${row.organization_id} and id = ${row.id}`)

export const markDeleted = (db: Queryable, organizationId: string, id: string) =>
  db.run(sql`
    update applications set deleted_at = clock_timestamp() where organization_id = ${organizationId} and id = ${id}`)

/** Restores a deleted application. Undefined if there is none. */
export const unmarkDeleted = (db: Queryable, organizationId: string, id: string) =>
  db.one<ApplicationRow>(sql`
    update applications set deleted_at = null
     where organization_id = ${organizationId} and id = ${id} and deleted_at is not null
    returning *`)

export const purgeApplications = (db: Queryable, organizationId: string, days: number) =>
  db.run(sql`
    delete from applications
     where organization_id = ${organizationId} and deleted_at < now() - make_interval(days => ${days})`)

interface OverdueRow {
  id: string
  next_certificate_id: string
  promote_at: string
}

export const overduePromotions = (db: Queryable, organizationId: string) =>
  db.many<OverdueRow>(sql`
    select id, next_certificate_id, promote_at from applications
     where organization_id = ${organizationId} and deleted_at is null and next_certificate_id is not null
       and promote_at <= now() order by id`)

/** The templates of the organization's applications. */
export const usedTemplates = async (
  db: Queryable,
  organizationId: string,
): Promise<Set<string>> => {
  const rows = await db.many<{ name: string }>(sql`
    select distinct name from applications where organization_id = ${organizationId} and deleted_at is null`)
  return new Set(rows.map(({ name }) => name))
}

/** Includes deleted ones: past events and paths name them. */
export const applicationNames = async (
  db: Queryable,
  organizationId: string,
  ids: string[],
): Promise<Map<string, string>> => {
  const rows = await db.many<{ id: string; name: string }>(sql`
    select id, coalesce(nullif(display_label, ''), nullif(display_name, ''), name) as name from applications
     where organization_id = ${organizationId} and id = any(${ids}::text[])`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Whether it is an undeleted application other than a bookmark. */
export const isSignedInTo = async (
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<boolean> => {
  const row = isId(id) ? await findApplication(db, organizationId, id) : undefined
  return row !== undefined && row.certificate_id !== null
}

export const isInactive = async (
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<boolean> =>
  (await db.one(sql`
    select 1 from applications where organization_id = ${organizationId} and id = ${id} and not active`)) !==
  undefined

// Slugs are global, so that no two applications of the installation have the same URL.

/** False: another application has it, or it is still reserved for another tenant. */
export const takeSlug = async (
  db: Queryable,
  organizationId: string,
  id: string,
  slug: string,
): Promise<boolean> =>
  (await db.run(sql`
    insert into application_slugs as s (slug, tenant, application_id) values (${slug}, ${organizationId}, ${id})
    on conflict (slug) do update
       set tenant = excluded.tenant, application_id = excluded.application_id, kept_until = null
     where s.kept_until < now() or (s.kept_until is not null and s.tenant = excluded.tenant)`)) > 0

/** Frees the slug, but reserves it for the tenant for that many days. */
export const releaseSlug = (db: Queryable, organizationId: string, id: string, days: number) =>
  db.run(sql`
    update application_slugs set application_id = null, kept_until = now() + make_interval(days => ${days})
     where tenant = ${organizationId} and application_id = ${id}`)

/** Deletes expired reservations of all tenants. */
export const forgetSlugs = (db: Queryable) =>
  db.run(sql`delete from application_slugs where kept_until < now()`)
