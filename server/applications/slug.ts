import { invalid } from '../platform/errors.ts'
import { withoutTrailing } from '../platform/trailing.ts'

/** Used for other paths below /saml2. */
const RESERVED = new Set(['test-sp', 'metadata', 'logout', 'resume', 'assets'])

/** How long a released slug stays reserved for its tenant; longer if the tenant's event retention is. */
export const MIN_KEPT_DAYS = 90

const SLUG = /^[a-z0-9][a-z0-9._~-]{0,127}$/

export const badSsoUrl = (problem: string) => invalid('bad_sso_url', `ssoUrl: ${problem}`)

/**
 * The last segment of the path, in lower case, since lookups ignore case. Accepts a whole URL or the slug alone
 * (design §4); the URL is stored as sent.
 */
export function slugOf(ssoUrl: string): string {
  const url = URL.parse(ssoUrl)
  if (url && !['https:', 'http:'].includes(url.protocol))
    throw badSsoUrl('must start with https:// or http://, or be the last path segment alone')
  const path = url ? url.pathname : ssoUrl.split(/[?#]/)[0]!
  const slug = withoutTrailing('/', path).split('/').at(-1)!.toLowerCase()
  if (!SLUG.test(slug))
    throw badSsoUrl(
      'the last path segment may contain only letters, digits, dots, hyphens, underscores and tildes',
    )
  if (RESERVED.has(slug)) throw badSsoUrl(`"${slug}" is reserved`)
  return slug
}
