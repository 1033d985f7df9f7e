import { invalid } from '../platform/errors.ts'

/** Below /saml2 for something else. */
const RESERVED = new Set(['test-sp', 'metadata', 'logout', 'resume', 'assets'])

/** How long an address that was given up stays with its tenant, or for as long as that keeps its events. */
export const MIN_KEPT_DAYS = 90

const SLUG = /^[a-z0-9][a-z0-9._~-]{0,127}$/

export const badSsoUrl = (words: string) => invalid('bad_sso_url', `ssoUrl: ${words}`)

/**
 * The last segment of the path, in lower case, as paths are read without it. The address may be whole or the slug
 * alone (design §4); it is kept as it was sent.
 */
export function slugOf(ssoUrl: string): string {
  const url = URL.parse(ssoUrl)
  if (url && !['https:', 'http:'].includes(url.protocol))
    throw badSsoUrl('must begin with https:// or http://, or be its last part alone')
  const path = url ? url.pathname : ssoUrl.split(/[?#]/)[0]!
  const slug = path.replace(/\/+$/, '').split('/').at(-1)!.toLowerCase()
  if (!SLUG.test(slug))
    throw badSsoUrl('its last part may have letters, digits, dots, hyphens and underscores only')
  if (RESERVED.has(slug)) throw badSsoUrl(`"${slug}" is reserved`)
  return slug
}
