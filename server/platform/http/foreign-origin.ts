import { forbidden } from '../errors.ts'

/** The parts of a request that reveal its origin. */
export interface Sent {
  method: string
  headers: Record<string, string | string[] | undefined> & { cookie?: string | undefined }
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
export const isSafe = ({ method }: Pick<Sent, 'method'>): boolean => SAFE_METHODS.has(method)

/**
 * CSRF protection: another site must neither use a session nor open one that the user takes for their own. Browsers
 * send the origin of a request; a client that sends none is not a browser and carries no session cookie.
 */
export function refuseForeign(publicUrl: string, request: Sent): void {
  if (isSafe(request)) return
  const { 'sec-fetch-site': site, origin, host } = request.headers
  const own =
    typeof origin !== 'string' ||
    origin === new URL(publicUrl).origin ||
    (URL.canParse(origin) && new URL(origin).host === host)
  if ((site !== undefined && site !== 'same-origin') || !own)
    throw forbidden('foreign_origin', 'Forbidden: this request comes from another site')
}
