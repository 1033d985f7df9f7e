/**
 * Guards against open redirects. Browsers read `//host` and `/\host` as another host, and drop tabs and newlines, so
 * all of these are refused.
 */
export const isOwnPath = (path: string): boolean =>
  /^\/(?![/\\])/.test(path) && !/[\t\r\n\\]/.test(path)

interface SignInHints {
  /** Requires a signed-in user to authenticate again. */
  fresh?: boolean
  organizationId?: string
  /** The e-mail address or user name that the form starts with. */
  identifier?: string | undefined
}

/** The sign-in page that returns to `continueTo` afterwards. */
export function signInAddress(continueTo: string, hints: SignInHints = {}): string {
  if (!isOwnPath(continueTo)) throw new Error('continueTo must be a path of this service')
  const query = new URLSearchParams({ continue: continueTo })
  if (hints.fresh) query.set('fresh', '1')
  if (hints.organizationId) query.set('organization', hints.organizationId)
  if (hints.identifier) query.set('identifier', hints.identifier)
  return `/login?${query}`
}
