import type { Queryable } from '../../platform/db/index.ts'
import { sql } from '../../platform/db/sql.ts'
import type { GrantType, TokenEndpointAuthMethod } from '../settings.ts'

export interface OidcRow {
  client_id: string
  secret_hash: Buffer | null
  redirect_uris: string[]
  grant_types: GrantType[]
  token_endpoint_auth_method: TokenEndpointAuthMethod
  access_token_lifespan: number
  sso_url: string
}

export const findOidcRow = (db: Queryable, organizationId: string, applicationId: string) =>
  db.find<OidcRow>(sql`
    select client_id, secret_hash, redirect_uris, grant_types, token_endpoint_auth_method, access_token_lifespan, sso_url
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
                                  token_endpoint_auth_method, access_token_lifespan, sso_url)
    values (${organizationId}, ${applicationId}, ${row.client_id}, ${row.secret_hash}, ${row.redirect_uris},
            ${row.grant_types}, ${row.token_endpoint_auth_method}, ${row.access_token_lifespan}, ${row.sso_url})`)

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
           access_token_lifespan = ${row.access_token_lifespan}, sso_url = ${row.sso_url}
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
