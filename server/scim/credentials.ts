import { invalid } from '../platform/errors.ts'
import type { ScimAuth } from './connection.ts'
import type { ConnectionAuth } from './schema.ts'

/** Authentication as it may be shown: the secret is stored apart, sealed. */
export type PublicAuth =
  | { type: 'bearer' }
  | { type: 'basic'; username: string }
  | { type: 'header'; name: string }
  | { type: 'oauth'; tokenUrl: string; clientId: string; scope?: string }

/** Separates the secret from the rest, which may be shown. */
export function splitAuth(auth: ConnectionAuth): { shown: PublicAuth; secret: string | undefined } {
  switch (auth.type) {
    case 'bearer':
      return { shown: { type: 'bearer' }, secret: auth.token }
    case 'basic':
      return { shown: { type: 'basic', username: auth.username }, secret: auth.password }
    case 'header':
      return { shown: { type: 'header', name: auth.name }, secret: auth.value }
    case 'oauth': {
      const { clientSecret, ...shown } = auth
      return { shown, secret: clientSecret }
    }
  }
}

/** The inverse of `splitAuth`. */
export function joinAuth(shown: PublicAuth, secret: string): ScimAuth {
  switch (shown.type) {
    case 'bearer':
      return { type: 'bearer', token: secret }
    case 'basic':
      return { type: 'basic', username: shown.username, password: secret }
    case 'header':
      return { type: 'header', name: shown.name, value: secret }
    case 'oauth':
      return { ...shown, clientSecret: secret }
  }
}

interface Destination {
  baseUrl: string
  auth: PublicAuth | { type: 'none' }
}

const hostOf = (url: string): string => new URL(url).origin

/** Where the secret is sent. It must not be redirected to another host by someone who cannot read it. */
export const secretGoesTo = ({ baseUrl, auth }: Destination): string =>
  `${auth.type} ${hostOf(auth.type === 'oauth' ? auth.tokenUrl : baseUrl)} ${hostOf(baseUrl)}`

/** All URLs of a connection, by the field that holds them. */
export const urlsOf = ({ baseUrl, auth }: Destination): Record<string, string> => ({
  baseUrl,
  ...(auth.type === 'oauth' && { 'auth.tokenUrl': auth.tokenUrl }),
})

const FORBIDDEN_HEADERS = new Set(['host', 'content-length', 'connection', 'transfer-encoding'])

/** Checks that need no lookup. */
export function checkDestination(destination: Destination): void {
  for (const [field, url] of Object.entries(urlsOf(destination)))
    if (!URL.canParse(url) || new URL(url).username !== '' || new URL(url).password !== '')
      throw invalid('bad_url', `${field} must be a URL without user name and password`)
  const { auth } = destination
  if (auth.type === 'header' && FORBIDDEN_HEADERS.has(auth.name.toLowerCase()))
    throw invalid('bad_header', `auth.name: ${auth.name} cannot be set`)
}
