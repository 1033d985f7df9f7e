import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import { type Profile, SAML, type SamlConfig, ValidateInResponseTo } from '@node-saml/node-saml'
import { makeKey } from './keys.ts'

// An independent service provider: @node-saml/node-saml behind a few paths on loopback. Both sides know each other
// only by metadata.

interface IdpMetadata {
  entityId: string
  ssoRedirect: string
  ssoPost: string
  slo: string
  certificates: string[]
}

/** The values that a service provider reads from identity provider metadata. */
export function readIdpMetadata(xml: string): IdpMetadata {
  const location = (service: string, binding: string) =>
    new RegExp(`<md:${service} Binding="[^"]*:${binding}" Location="([^"]*)"`).exec(xml)![1]!
  return {
    entityId: /entityID="([^"]*)"/.exec(xml)![1]!,
    ssoRedirect: location('SingleSignOnService', 'HTTP-Redirect'),
    ssoPost: location('SingleSignOnService', 'HTTP-POST'),
    slo: location('SingleLogoutService', 'HTTP-Redirect'),
    certificates: [...xml.matchAll(/<ds:X509Certificate>([^<]*)</g)].map(([, body]) => body!),
  }
}

export interface ProviderOptions {
  binding?: 'HTTP-Redirect' | 'HTTP-POST'
  /** Signs its requests. */
  signs?: boolean
  /** Requires encrypted assertions. */
  encrypts?: boolean
  /** Answers logout requests with an error. */
  brokenLogout?: boolean
  saml?: Partial<SamlConfig>
}

/** User agent when it reads metadata. */
export const USER_AGENT = 'node-saml'

type Handle = (saml: SAML, request: IncomingMessage, response: ServerResponse) => Promise<void>

const send = (response: ServerResponse, status: number, value: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
const redirect = (response: ServerResponse, location: string) =>
  response.writeHead(302, { location }).end()

export async function startServiceProvider(options: ProviderOptions = {}) {
  const key = makeKey('service provider')
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const state: { saml?: SAML; profile: Profile | null; loggedOut: number } = {
    profile: null,
    loggedOut: 0,
  }

  const own: SamlConfig = {
    issuer: `${origin}/metadata`,
    callbackUrl: `${origin}/acs`,
    logoutCallbackUrl: `${origin}/slo`,
    idpCert: 'none yet',
    validateInResponseTo: ValidateInResponseTo.ifPresent,
    // Overrides the default, which always requests a password.
    identifierFormat: null,
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
    ...(options.signs && { privateKey: key.pem }),
    ...(options.encrypts && { decryptionPvk: key.pem }),
  }
  const certificate = (wanted: boolean | undefined) => (wanted ? key.certificate : null)
  const metadata = new SAML({ ...own, idpCert: key.certificate }).generateServiceProviderMetadata(
    certificate(options.encrypts),
    certificate(options.signs),
  )

  const paths: Record<string, Handle> = {
    '/metadata': async (_, __, response) => {
      response.writeHead(200, { 'content-type': 'application/samlmetadata+xml' }).end(metadata)
    },
    '/login': async (saml, _, response) => {
      if (options.binding === 'HTTP-POST') {
        const form = await saml.getAuthorizeFormAsync('the state')
        response.writeHead(200, { 'content-type': 'text/html' }).end(form)
      } else redirect(response, await saml.getAuthorizeUrlAsync('the state', undefined, {}))
    },
    '/acs': async (saml, request, response) => {
      const fields = Object.fromEntries(new URLSearchParams(await text(request)))
      const { profile } = await saml.validatePostResponseAsync(fields as Record<string, string>)
      state.profile = profile
      send(response, 200, { profile, relayState: fields.RelayState })
    },
    '/logout': async (saml, _, response) =>
      void redirect(response, await saml.getLogoutUrlAsync(state.profile!, 'bye', {})),
    // The metadata of this library says POST; Redirect is supported as well.
    '/slo': async (saml, request, response) => {
      if (options.brokenLogout) return void send(response, 500, { error: 'broken' })
      const { searchParams, search } = new URL(request.url!, origin)
      const posted = request.method === 'POST'
      const container: Record<string, string> = Object.fromEntries(
        posted ? new URLSearchParams(await text(request)) : searchParams,
      )
      const answered = container.SAMLResponse !== undefined
      const validatePost = () =>
        answered
          ? saml.validatePostResponseAsync(container)
          : saml.validatePostRequestAsync(container)
      const { profile } = posted
        ? await validatePost()
        : await saml.validateRedirectAsync(container, search.slice(1))
      state.loggedOut++
      if (answered) return void send(response, 200, { loggedOut: true })
      const relayState = container.RelayState ?? ''
      redirect(response, await saml.getLogoutResponseUrlAsync(profile!, relayState, {}, true))
    },
  }
  server.on('request', (request, response) => {
    const handle = paths[new URL(request.url!, origin).pathname]
    if (!handle) return send(response, 404, { error: 'not found' })
    handle(state.saml!, request, response).catch((error: Error) =>
      send(response, 403, { error: error.message }),
    )
  })

  /** Configures the identity provider from its metadata. */
  function trust(idp: IdpMetadata, more: Partial<SamlConfig> = {}) {
    state.saml = new SAML({
      ...own,
      // Keep the pending request ids when the metadata is read again.
      ...(state.saml && { cacheProvider: state.saml.cacheProvider }),
      entryPoint: options.binding === 'HTTP-POST' ? idp.ssoPost : idp.ssoRedirect,
      idpIssuer: idp.entityId,
      idpCert: idp.certificates,
      logoutUrl: idp.slo,
      wantAuthnResponseSigned: false,
      ...options.saml,
      ...more,
    })
  }
  /** The same by URL, as service providers do automatically. */
  async function read(url: string): Promise<IdpMetadata> {
    const response = await fetch(url, { headers: { 'user-agent': USER_AGENT } })
    const body = await response.text()
    if (!response.ok) throw new Error(`${url} answered ${response.status}: ${body}`)
    const idp = readIdpMetadata(body)
    trust(idp)
    return idp
  }
  return { origin, metadata, key, state, trust, read }
}
