import type { OidcApplication } from '../applications/index.ts'
import type { Client } from '../platform/caller.ts'
import type { Tx } from '../platform/db/index.ts'
import { randomToken, sha256 } from '../platform/secrets.ts'
import type { Person } from '../signon/index.ts'
import { acrOf } from './acr.ts'
import { addressesOf } from './addresses.ts'
import { claimsFor } from './claims.ts'
import { authenticateClient } from './client-authentication.ts'
import type { OidcContext } from './context.ts'
import { holderOf } from './holder.ts'
import { signJwt } from './jwt.ts'
import type { Params } from './params.ts'
import { checkVerifier } from './pkce.ts'
import { recordRefusal } from './record.ts'
import { isRegistered } from './redirect-uris.ts'
import { OidcRefusal } from './refusal.ts'
import { sessionIdFor } from './session-id.ts'
import {
  deleteGrant,
  extendGrant,
  findByCode,
  findByToken,
  type GrantRow,
  insertToken,
  takeCode,
  takeRefresh,
} from './store.ts'

// The token endpoint: RFC 6749 §4.1.3 and §6, OpenID Connect Core §3.1.3 and §12.

/** An upper bound: the grant ends with the session. */
const REFRESH_SECONDS = 24 * 3600

interface TokenResponse {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  scope: string
  id_token: string
  refresh_token?: string
}

const badGrant = (reason: string, message: string) =>
  new OidcRefusal('invalid_grant', reason, message)

/** OpenID Connect Core §2. Only the first ID token carries the nonce, not those from a refresh. */
function idToken(
  context: OidcContext,
  application: OidcApplication,
  grant: GrantRow,
  person: Person,
  { nonce, accessToken, now }: { nonce: string | null; accessToken: string; now: number },
): Promise<string> {
  const { methods } = grant
  return signJwt(application.certificates.current, {
    iss: addressesOf(context, application).issuer,
    aud: application.clientId,
    iat: now,
    exp: now + application.accessTokenLifespan,
    auth_time: Math.floor(Date.parse(grant.authenticated_at) / 1000),
    // RFC 8176
    amr: methods.length > 1 ? [...methods, 'mfa'] : methods,
    acr: acrOf(methods),
    sid: sessionIdFor(application, person.session),
    ...(nonce !== null && { nonce }),
    at_hash: sha256(accessToken).subarray(0, 16).toString('base64url'),
    ...claimsFor(application, person, grant.scopes),
  })
}

interface Exchanged {
  grant: GrantRow
  nonce: string | null
  /** False: it has already been exchanged. */
  take: (tx: Tx) => Promise<boolean>
  replayed: () => OidcRefusal
}

/**
 * The code or refresh token is consumed in the transaction that stores the new tokens. If it is presented twice, one of
 * the two clients is an impostor: the whole grant is revoked.
 */
async function issue(
  context: OidcContext,
  application: OidcApplication,
  person: Person,
  { grant, nonce, take, replayed }: Exchanged,
): Promise<TokenResponse> {
  const { organizationId, accessTokenLifespan: seconds } = application
  const accessToken = randomToken()
  const refreshToken = application.grantTypes.includes('refresh_token') ? randomToken() : undefined
  const kept = [
    { kind: 'access' as const, hash: sha256(accessToken), seconds },
    ...(refreshToken === undefined
      ? []
      : [{ kind: 'refresh' as const, hash: sha256(refreshToken), seconds: REFRESH_SECONDS }]),
  ]
  const now = Math.floor(Date.now() / 1000)
  const id_token = await idToken(context, application, grant, person, { nonce, accessToken, now })
  const issued = await context.db.tx(organizationId, async (tx) => {
    const longest = Math.max(...kept.map((token) => token.seconds))
    if (!(await extendGrant(tx, organizationId, grant.id, longest))) return false
    if (!(await take(tx))) {
      await deleteGrant(tx, organizationId, grant.id)
      return false
    }
    for (const token of kept) await insertToken(tx, organizationId, grant.id, token)
    return true
  })
  if (!issued) throw replayed()
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: seconds,
    scope: grant.scopes.join(' '),
    id_token,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
  }
}

/** A grant to a confidential client is not valid once the client is public, and vice versa. */
function checkKind({ secretHash }: OidcApplication, { public_client }: GrantRow): void {
  if (public_client !== (secretHash === null))
    throw badGrant('client_changed', 'The client has since changed between confidential and public')
}

async function fromCode(
  { db }: OidcContext,
  { organizationId, id, redirectUris }: OidcApplication,
  params: Params,
): Promise<Exchanged> {
  const tenant = db.tenant(organizationId)
  const replayed = () =>
    badGrant('code_replayed', 'The code has already been used; its tokens are revoked')
  const hash = sha256(params.required('code'))
  const grant = await findByCode(tenant, organizationId, id, hash)
  if (!grant) throw badGrant('code_unknown', 'The code is unknown to this client')
  if (grant.used) {
    await deleteGrant(tenant, organizationId, grant.id)
    throw replayed()
  }
  if (grant.expired) throw badGrant('code_expired', 'The code has expired')
  const uri = params.required('redirect_uri')
  if (uri !== grant.redirect_uri || !isRegistered(uri, redirectUris))
    throw badGrant('redirect_uri_differs', 'redirect_uri is not the one the code was issued for')
  checkVerifier(grant.challenge, params.get('code_verifier'))
  const take = (tx: Tx) => takeCode(tx, organizationId, grant.id)
  return { grant, nonce: grant.nonce, take, replayed }
}

async function fromRefreshToken(
  { db }: OidcContext,
  { organizationId, id }: OidcApplication,
  params: Params,
): Promise<Exchanged> {
  const tenant = db.tenant(organizationId)
  const replayed = () =>
    badGrant('refresh_reused', 'The refresh token has already been used; its grant is revoked')
  const hash = sha256(params.required('refresh_token'))
  const grant = await findByToken(tenant, organizationId, id, 'refresh', hash)
  if (!grant) throw badGrant('refresh_unknown', 'The refresh token is unknown or has expired')
  if (grant.used) {
    await deleteGrant(tenant, organizationId, grant.id)
    throw replayed()
  }
  const requested = params.get('scope')?.split(' ') ?? []
  if (!requested.every((scope) => (grant.scopes as string[]).includes(scope)))
    throw new OidcRefusal('invalid_scope', 'scope_wider', 'scope exceeds the granted scopes')
  return { grant, nonce: null, take: (tx) => takeRefresh(tx, organizationId, hash), replayed }
}

const EXCHANGES = { authorization_code: fromCode, refresh_token: fromRefreshToken }

function readerFor({ grantTypes }: OidcApplication, params: Params) {
  const type = params.required('grant_type')
  if (type !== 'authorization_code' && type !== 'refresh_token')
    throw new OidcRefusal('unsupported_grant_type', 'grant_type', `grant_type is not supported`)
  if (!grantTypes.includes(type))
    throw new OidcRefusal('unauthorized_client', 'grant_type', `the client may not use ${type}`)
  return EXCHANGES[type]
}

/** Revokes the grant if its user may no longer have tokens. */
async function holderOrRevoke(
  context: OidcContext,
  application: OidcApplication,
  grant: GrantRow,
): Promise<Person> {
  try {
    return await holderOf(context, application, grant, 'invalid_grant')
  } catch (error) {
    const { organizationId } = application
    if (error instanceof OidcRefusal)
      await deleteGrant(context.db.tenant(organizationId), organizationId, grant.id)
    throw error
  }
}

export async function exchange(
  context: OidcContext,
  client: Client,
  application: OidcApplication,
  authorization: string | undefined,
  params: Params,
): Promise<TokenResponse> {
  try {
    authenticateClient(application, authorization, params)
    const exchanged = await readerFor(application, params)(context, application, params)
    checkKind(application, exchanged.grant)
    const person = await holderOrRevoke(context, application, exchanged.grant)
    return await issue(context, application, person, exchanged)
  } catch (error) {
    if (error instanceof OidcRefusal) await recordRefusal(context, application, client, error)
    throw error
  }
}
