import type { Queryable } from '../../platform/db/index.ts'
import { sql } from '../../platform/db/sql.ts'
import type { GrantType, SubjectType, TokenEndpointAuthMethod } from '../settings.ts'

export interface OidcRow {
  client_id: string
  secret_hash: Buffer | null
  redirect_uris: string[]
  grant_types: GrantType[]
  token_endpoint_auth_method: TokenEndpointAuthMethod
  access_token_lifespan: number
  sso_url: string
  post_logout_redirect_uris: string[]
  frontchannel_logout_uri: string
  backchannel_logout_uri: string
  subject_type: SubjectType
}

export const findOidcRow = (db: Queryable, organizationId: string, applicationId: string) =>
  db.find<OidcRow>(sql`
    select client_id, secret_hash, redirect_uris, grant_types, token_endpoint_auth_method, access_token_lifespan, sso_url,
           post_logout_redirect_uris, frontchannel_logout_uri, backchannel_logout_uri, subject_type
      from application_oidc
     where organization_id = ${organizationId} and application_id = ${applicationId}`)

export const insertOidc = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  row: OidcRow,
) =>
  db.run(sql`
    insert into application_oidc (organization_id, application_id, client_id, secret_hash, redirect_uris, grant_types,
                                  token_endpoint_auth_method, access_token_lifespan, sso_url, post_logout_redirect_uris,
                                  frontchannel_logout_uri, backchannel_logout_uri, subject_type)
    values (${organizationId}, ${applicationId}, ${row.client_id}, ${row.secret_hash}, ${row.redirect_uris},
            ${row.grant_types}, ${row.token_endpoint_auth_method}, ${row.access_token_lifespan}, ${row.sso_url},
            ${row.post_logout_redirect_uris}, ${row.frontchannel_logout_uri}, ${row.backchannel_logout_uri},
            ${row.subject_type})`)

/** Saves everything but the client id, which never changes. */
export const saveOidc = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  row: OidcRow,
) =>
  db.run(sql`
    update application_oidc
       set secret_hash = ${row.secret_hash}, redirect_uris = ${row.redirect_uris}, grant_types = ${row.grant_types},
           token_endpoint_auth_method = ${row.token_endpoint_auth_method},
           access_token_lifespan = ${row.access_token_lifespan}, sso_url = ${row.sso_url},
           post_logout_redirect_uris = ${row.post_logout_redirect_uris},
           frontchannel_logout_uri = ${row.frontchannel_logout_uri},
           backchannel_logout_uri = ${row.backchannel_logout_uri}, subject_type = ${row.subject_type}
     where organization_id = ${organizationId} and application_id = ${applicationId}`)

// Client ids are global, so that a client can be found before its tenant is known.

/** Without a tenant: the client id determines it. */
export const findClient = (db: Queryable, clientId: string) =>
  db.find<{ tenant: string; application_id: string }>(
    sql`select tenant, application_id from oidc_clients where client_id = ${clientId}`,
  )

export const insertClient = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  clientId: string,
) =>
  db.run(sql`
    insert into oidc_clients (client_id, tenant, application_id)
    values (${clientId}, ${organizationId}, ${applicationId})`)
