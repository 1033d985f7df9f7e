import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import * as openid from 'openid-client'
import type { Client } from './world.ts'

// An independent relying party that knows only the issuer, its client id and its secret.

/** The redirect target. Closed when the test file is done. */
export async function startCallback(): Promise<string> {
  const server = createServer((_, res) => res.end('signed in'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`
}

/** Fetches the discovery document. Also checks signatures, although TLS would suffice (OpenID Connect Core §3.1.3.7). */
export const discover = (
  { issuer, clientId, clientSecret }: Client,
  authentication = openid.ClientSecretBasic(clientSecret),
): Promise<openid.Configuration> =>
  openid.discovery(new URL(issuer), clientId, {}, authentication, {
    execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
  })

/** One sign-in: its start URL, and the tokens from its callback URL. */
export async function begin(
  config: openid.Configuration,
  redirect_uri: string,
  more: Record<string, string> = {},
  pkce = true,
) {
  const verifier = openid.randomPKCECodeVerifier()
  const [state, nonce] = [openid.randomState(), openid.randomNonce()]
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri,
    scope: 'openid email profile groups',
    state,
    nonce,
    ...(pkce && {
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }),
    ...more,
  })
  const finish = (arrived: string) =>
    openid.authorizationCodeGrant(config, new URL(arrived), {
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
      ...(pkce && { pkceCodeVerifier: verifier }),
      ...(more.max_age !== undefined && { maxAge: Number(more.max_age) }),
    })
  return { url: url.href, finish }
}
