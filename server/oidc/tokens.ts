import type { OidcApplication } from '../applications/index.ts'
import type { Client } from '../platform/caller.ts'
import type { Tx } from '../platform/db/index.ts'
import { randomToken, sha256 } from '../platform/secrets.ts'
import type { Person } from '../signon/index.ts'
import { addressesOf } from './addresses.ts'
import { claimsFor } from './claims.ts'
import { authenticateClient } from './client-authentication.ts'
import type { OidcContext } from './context.ts'
import { holderOf } from './holder.ts'
import { signJwt } from './jwt.ts'
import type { Params } from './params.ts'
import { checkVerifier } from './pkce.ts'
import { recordRefusal } from './record.ts'
import { OidcRefusal } from './refusal.ts'
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

/** Unless the session ends before, which it does. */
const REFRESH_SECONDS = 24 * 3600

interface TokenAnswer {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  scope: string
  id_token: string
  refresh_token?: string
}

const badGrant = (reason: string, words: string) => new OidcRefusal('invalid_grant', reason, words)

/** OpenID Connect Core §2. A nonce belongs to the answer to its request, and to no later one. */
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
    ...(nonce !== null && { nonce }),
    at_hash: sha256(accessToken).subarray(0, 16).toString('base64url'),
    ...claimsFor(application, person, grant.scopes),
  })
}

interface Exchanged {
  grant: GrantRow
  nonce: string | null
  /** False: it was exchanged before. */
  take: (tx: Tx) => Promise<boolean>
  again: () => OidcRefusal
}

/**
 * What is exchanged is used up in the transaction that keeps the new tokens. Of two who bring the same, one is not who
 * they say: both lose everything.
 */
async function issue(
  context: OidcContext,
  application: OidcApplication,
  person: Person,
  { grant, nonce, take, again }: Exchanged,
): Promise<TokenAnswer> {
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
  if (!issued) throw again()
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: seconds,
    scope: grant.scopes.join(' '),
    id_token,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
  }
}

/** What a client had granted while it had a secret is not for whoever needs none, and the other way round. */
function checkKind({ secretHash }: OidcApplication, { public_client }: GrantRow): void {
  if (public_client !== (secretHash === null))
    throw badGrant(
      'client_changed',
      'The client has changed between having a secret and having none',
    )
}

async function fromCode(
  { db }: OidcContext,
  { organizationId, id, redirectUris }: OidcApplication,
  params: Params,
): Promise<Exchanged> {
  const tenant = db.tenant(organizationId)
  const again = () => badGrant('code_replayed', 'The code was used before; its tokens are revoked')
  const hash = sha256(params.required('code'))
  const grant = await findByCode(tenant, organizationId, id, hash)
  if (!grant) throw badGrant('code_unknown', 'The code is unknown to this client')
  if (grant.used) {
    await deleteGrant(tenant, organizationId, grant.id)
    throw again()
  }
  if (grant.expired) throw badGrant('code_expired', 'The code has expired')
  const uri = params.required('redirect_uri')
  if (uri !== grant.redirect_uri || !redirectUris.includes(uri))
    throw badGrant('redirect_uri_differs', 'redirect_uri is not the one that the code was sent to')
  checkVerifier(grant.challenge, params.get('code_verifier'))
  return { grant, nonce: grant.nonce, take: (tx) => takeCode(tx, organizationId, grant.id), again }
}

async function fromRefreshToken(
  { db }: OidcContext,
  { organizationId, id }: OidcApplication,
  params: Params,
): Promise<Exchanged> {
  const tenant = db.tenant(organizationId)
  const again = () =>
    badGrant('refresh_reused', 'The refresh token was used before; all that came of it is revoked')
  const hash = sha256(params.required('refresh_token'))
  const grant = await findByToken(tenant, organizationId, id, 'refresh', hash)
  if (!grant) throw badGrant('refresh_unknown', 'The refresh token is unknown or has expired')
  if (grant.used) {
    await deleteGrant(tenant, organizationId, grant.id)
    throw again()
  }
  const asked = params.get('scope')?.split(' ') ?? []
  if (!asked.every((scope) => (grant.scopes as string[]).includes(scope)))
    throw new OidcRefusal('invalid_scope', 'scope_wider', 'scope is wider than what was granted')
  return { grant, nonce: null, take: (tx) => takeRefresh(tx, organizationId, hash), again }
}

const EXCHANGES = { authorization_code: fromCode, refresh_token: fromRefreshToken }

function exchangeFor({ grantTypes }: OidcApplication, params: Params) {
  const type = params.required('grant_type')
  if (type !== 'authorization_code' && type !== 'refresh_token')
    throw new OidcRefusal('unsupported_grant_type', 'grant_type', `grant_type is not supported`)
  if (!grantTypes.includes(type))
    throw new OidcRefusal('unauthorized_client', 'grant_type', `the client may not use ${type}`)
  return EXCHANGES[type]
}

/** Whoever may not have tokens any more loses those there are. */
async function holderOrNobody(
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

export async function giveTokens(
  context: OidcContext,
  client: Client,
  application: OidcApplication,
  authorization: string | undefined,
  params: Params,
): Promise<TokenAnswer> {
  try {
    authenticateClient(application, authorization, params)
    const exchanged = await exchangeFor(application, params)(context, application, params)
    checkKind(application, exchanged.grant)
    const person = await holderOrNobody(context, application, exchanged.grant)
    return await issue(context, application, person, exchanged)
  } catch (error) {
    if (error instanceof OidcRefusal) await recordRefusal(context, application, client, error)
    throw error
  }
}
