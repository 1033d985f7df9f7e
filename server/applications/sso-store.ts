import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'

interface SlugRow {
  tenant: string
  application_id: string
}

/** Without a tenant: the slug, in lower case, determines it. */
export const findSlug = (db: Queryable, slug: string) =>
  db.find<SlugRow>(sql`
    select tenant, application_id from application_slugs where slug = ${slug} and application_id is not null`)

export interface SsoCertificateRow {
  id: string
  certificate: string
  private_key: string
  not_after: string
}

export interface SsoRow {
  id: string
  name: string
  display_name: string
  display_label: string
  sso_url: string
  slug: string | null
  active: boolean
  config: Record<string, unknown>
  certificate_id: string | null
  next_certificate_id: string | null
  previous_certificate_id: string | null
  certificates: SsoCertificateRow[]
}

/** An undeleted application with its certificates, in one statement: it is read on every sign-in. */
export const findSsoRow = (db: Queryable, organizationId: string, id: string) =>
  db.find<SsoRow>(sql`
    select a.id, a.name, a.display_name, a.display_label, a.sso_url, a.slug, a.active, a.config, a.certificate_id,
           a.next_certificate_id, a.previous_certificate_id,
           (select coalesce(json_agg(json_build_object('id', c.id, 'certificate', c.certificate,
                                                       'private_key', c.private_key, 'not_after', c.not_after)), '[]')
              from application_certificates c
             where c.organization_id = a.organization_id and c.application_id = a.id) as certificates
      from applications a
     where a.organization_id = ${organizationId} and a.id = ${id} and a.deleted_at is null
       and not is_deleted(a.organization_id)`)

/** Kept per certificate: the endpoint is public and clients choose their user agent, so the rows are bounded. */
const MAX_FETCHES = 50

/**
 * Each row is written at most once a minute, so that a frequent reader does not cause a write per request. The lock keeps
 * the certificates in place: it waits for a concurrent deletion and skips the deleted one.
 */
export async function saveFetches(
  db: Queryable,
  organizationId: string,
  applicationId: string,
  certificateIds: string[],
  address: string,
  userAgent: string,
): Promise<void> {
  const saved = await db.run(sql`
    insert into application_metadata_fetches (organization_id, application_id, certificate_id, address, user_agent)
    select organization_id, application_id, id, ${address}, ${userAgent} from application_certificates
     where organization_id = ${organizationId} and application_id = ${applicationId} and id = any(${certificateIds}::text[])
     order by id for key share
    on conflict (organization_id, application_id, certificate_id, address, user_agent) do update set last_at = now()
     where application_metadata_fetches.last_at < now() - interval '1 minute'`)
  if (saved === 0) return
  await db.run(sql`
    delete from application_metadata_fetches f
     using (select certificate_id, address, user_agent,
                   row_number() over (partition by certificate_id order by last_at desc, address, user_agent) as place
              from application_metadata_fetches
             where organization_id = ${organizationId} and application_id = ${applicationId}) old
     where f.organization_id = ${organizationId} and f.application_id = ${applicationId}
       and (f.certificate_id, f.address, f.user_agent) = (old.certificate_id, old.address, old.user_agent)
       and old.place > ${MAX_FETCHES}`)
}

export interface TileRow {
  id: string
  name: string
  display_name: string
  display_label: string
  color: string
  sso_url: string
  slug: string | null
  hidden: boolean
  logo_id: string | null
  config: Record<string, unknown>
  /** Null unless there are OpenID Connect settings. */
  oidc_sso_url: string | null
  redirect_uri: string | null
}

/** The active ones among these applications, in the order of their labels. */
export const readTileRows = (db: Queryable, organizationId: string, ids: string[]) =>
  db.many<TileRow>(sql`
    select a.id, a.name, a.display_name, a.display_label, a.color, a.sso_url, a.slug, a.hidden, a.logo_id, a.config,
           o.sso_url as oidc_sso_url, o.redirect_uris[1] as redirect_uri
      from applications a
      left join application_oidc o on o.organization_id = ${organizationId} and o.application_id = a.id
     where a.organization_id = ${organizationId} and a.deleted_at is null and a.active and a.id = any(${ids}::text[])
     order by lower(a.display_label), a.id`)

/**
 * Whether the user is bound to the application, and it is active and not deleted. The graph could answer this, but every
 * sign-on asks: a fixed text is prepared once, while compiling the chains takes 45 µs each time.
 */
export const findBinding = async (
  db: Queryable,
  organizationId: string,
  userId: string,
  applicationId: string,
): Promise<boolean> => {
  const row = await db.find<{ bound: boolean }>(sql`
    select exists (
      select from applications a
       where a.organization_id = ${organizationId} and a.id = ${applicationId} and a.deleted_at is null and a.active
    ) and (exists (
      select from edges e
       where e.organization_id = ${organizationId} and e.from_type = 'user' and e.from_id = ${userId}
         and e.to_type = 'application' and e.to_id = ${applicationId} and e.valid_until is null
    ) or exists (
      select from edges m join edges e
          on e.organization_id = ${organizationId} and e.from_type = 'user_group' and e.from_id = m.from_id
         and e.to_type = 'application' and e.to_id = ${applicationId} and e.valid_until is null
       where m.organization_id = ${organizationId} and m.from_type = 'user_group' and m.to_type = 'user'
         and m.to_id = ${userId} and m.valid_until is null)) as bound`)
  return row?.bound === true
}
