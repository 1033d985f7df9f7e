import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import * as openid from 'openid-client'
import type { Client } from './world.ts'

// An independent relying party, which knows the issuer, its id and its secret and nothing else.

/** A page that people come back to. Closed when the test file is done. */
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

/** Reads what the issuer says about itself anew. It checks signatures, too, though the connection would vouch for them. */
export const discover = (
  { issuer, clientId, clientSecret }: Client,
  authentication = openid.ClientSecretBasic(clientSecret),
): Promise<openid.Configuration> =>
  openid.discovery(new URL(issuer), clientId, {}, authentication, {
    execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
  })

/** One sign-in: where it begins, and what it comes to at the address where it ends. */
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
