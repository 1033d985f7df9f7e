/**
 * A path of our own that a person may be sent on to. Browsers read `//host` and `/\host` as another host, and drop tabs
 * and line ends on the way, so none of these is let through.
 */
export const isOwnPath = (path: string): boolean =>
  /^\/(?![/\\])/.test(path) && !/[\t\r\n\\]/.test(path)

interface SignInHints {
  /** Whoever is signed in has to prove again who they are. */
  fresh?: boolean
  organizationId?: string
}

/** Where somebody signs in, to come back to `continueTo` afterwards. */
export function signInAddress(continueTo: string, hints: SignInHints = {}): string {
  if (!isOwnPath(continueTo)) throw new Error('One can go on to a path of this service only')
  const query = new URLSearchParams({ continue: continueTo })
  if (hints.fresh) query.set('fresh', '1')
  if (hints.organizationId) query.set('organization', hints.organizationId)
  return `/login?${query}`
}
