import { randomUUID } from 'node:crypto'
import { changesBetween, recordEvent } from '../../insights/index.ts'
import type { Caller } from '../../platform/caller.ts'
import type { Tx } from '../../platform/db/index.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import { randomToken, sha256 } from '../../platform/secrets.ts'
import { getApplicationRow, lockedApplication } from '../actions.ts'
import { templateOf } from '../catalogue.ts'
import type { ApplicationContext } from '../context.ts'
import { resourceOf } from '../records.ts'
import type { ApplicationOidc, ApplicationOidcWrite } from '../schema.ts'
import { type ApplicationRow, saveApplication } from '../store.ts'
import type { OidcTemplate } from '../templates/schema.ts'
import { issuerOf } from './application.ts'
import { readOidc } from './settings.ts'
import { findOidcRow, insertClient, insertOidc, type OidcRow, saveOidc } from './store.ts'

// The OpenID Connect client settings of an application. The secret is returned once, when it is generated.

/** API clients probe for these settings before they read the SAML ones, and rely on this message. */
const noSettings = () => notFound('oidc_config_not_found', 'Not Found: oidc config not found')

const describe = (
  { publicUrl }: ApplicationContext,
  { hidden }: ApplicationRow,
  row: OidcRow,
  clientSecret?: string,
): ApplicationOidc => ({
  type: 'oidc',
  hidden,
  oidc: {
    issuer: issuerOf(publicUrl, row.client_id),
    clientId: row.client_id,
    ...(clientSecret !== undefined && { clientSecret }),
    redirectUris: row.redirect_uris,
    grantTypes: row.grant_types,
    tokenEndpointAuthMethod: row.token_endpoint_auth_method,
    accessTokenLifespan: row.access_token_lifespan,
    ssoUrl: row.sso_url,
    postLogoutRedirectUris: row.post_logout_redirect_uris,
    frontchannelLogoutUri: row.frontchannel_logout_uri,
    backchannelLogoutUri: row.backchannel_logout_uri,
    subjectType: row.subject_type,
  },
})

const SECRETS = ['oidc.clientSecret']

/** The fields recorded in events. */
const auditFields = ({ hidden }: ApplicationRow, row: OidcRow | null) => ({
  'sso.hidden': hidden,
  ...(row && {
    'oidc.clientId': row.client_id,
    'oidc.clientSecret': row.secret_hash?.toString('hex'),
    'oidc.redirectUris': row.redirect_uris,
    'oidc.grantTypes': row.grant_types,
    'oidc.tokenEndpointAuthMethod': row.token_endpoint_auth_method,
    'oidc.accessTokenLifespan': row.access_token_lifespan,
    'oidc.ssoUrl': row.sso_url,
    'oidc.postLogoutRedirectUris': row.post_logout_redirect_uris,
    'oidc.frontchannelLogoutUri': row.frontchannel_logout_uri,
    'oidc.backchannelLogoutUri': row.backchannel_logout_uri,
    'oidc.subjectType': row.subject_type,
  }),
})

function templateFor({ name }: ApplicationRow): OidcTemplate {
  const { oidc } = templateOf(name)
  if (!oidc) throw invalid('no_oidc', `name: the template "${name}" has no OpenID Connect settings`)
  return oidc
}

/** The settings with the secret they need: the existing one, a new one, or none. */
function withSecret(
  read: Omit<OidcRow, 'secret_hash'>,
  known: Buffer | null,
  renew: boolean,
): { row: OidcRow; clientSecret?: string } {
  if (read.token_endpoint_auth_method === 'none') return { row: { ...read, secret_hash: null } }
  if (known && !renew) return { row: { ...read, secret_hash: known } }
  const clientSecret = randomToken()
  return { row: { ...read, secret_hash: sha256(clientSecret) }, clientSecret }
}

/** Locks the application to serialize changes of its settings; records the change as one of the application. */
function change(
  context: ApplicationContext,
  caller: Caller,
  id: string,
  hidden: ApplicationOidcWrite['hidden'],
  decide: (
    tx: Tx,
    template: OidcTemplate,
  ) => Promise<{ before: OidcRow | null; row: OidcRow; clientSecret?: string }>,
): Promise<ApplicationOidc> {
  const { organizationId } = caller
  return context.db.tx(organizationId, async (tx) => {
    const known = await lockedApplication(tx, organizationId, id)
    const { before, row, clientSecret } = await decide(tx, templateFor(known))
    const application = { ...known, hidden: String(hidden ?? known.hidden) === 'true' }
    const changes = changesBetween(
      auditFields(known, before),
      auditFields(application, row),
      SECRETS,
    )
    if (changes.length > 0) {
      if (application.hidden !== known.hidden) await saveApplication(tx, application)
      const eventId = await recordEvent(tx, caller, {
        event_type: 'application_update',
        resource: resourceOf(application),
        changes,
      })
      await context.changed.fire(tx, caller, {
        applicationId: id,
        before: known,
        after: application,
        eventId,
      })
    }
    return describe(context, application, row, clientSecret)
  })
}

export async function getOidc(
  context: ApplicationContext,
  { organizationId }: Caller,
  id: string,
): Promise<ApplicationOidc> {
  const tenant = context.db.tenant(organizationId)
  const application = await getApplicationRow(tenant, organizationId, id)
  const row = await findOidcRow(tenant, organizationId, id)
  if (!row) throw noSettings()
  return describe(context, application, row)
}

export const createOidc = (
  context: ApplicationContext,
  caller: Caller,
  id: string,
  { hidden, oidc }: ApplicationOidcWrite,
): Promise<ApplicationOidc> =>
  change(context, caller, id, hidden, async (tx, template) => {
    const { organizationId } = caller
    if (await findOidcRow(tx, organizationId, id))
      throw conflict(
        'oidc_config_exists',
        'The application already has OpenID Connect settings; change them with PUT, where oidc.newClientSecret generates a new secret',
      )
    const read = { client_id: randomUUID(), ...readOidc(template, oidc) }
    const made = withSecret(read, null, true)
    await insertOidc(tx, organizationId, id, made.row)
    await insertClient(tx, organizationId, id, made.row.client_id)
    return { before: null, ...made }
  })

/** A full replace; the client keeps its id, and its secret unless a new one is requested or needed. */
export const replaceOidc = (
  context: ApplicationContext,
  caller: Caller,
  id: string,
  { hidden, oidc }: ApplicationOidcWrite,
): Promise<ApplicationOidc> =>
  change(context, caller, id, hidden, async (tx, template) => {
    const { organizationId } = caller
    const before = await findOidcRow(tx, organizationId, id)
    if (!before) throw noSettings()
    const read = { client_id: before.client_id, ...readOidc(template, oidc) }
    const made = withSecret(read, before.secret_hash, oidc.newClientSecret === true)
    await saveOidc(tx, organizationId, id, made.row)
    return { before, ...made }
  })
