import { forbidden } from '../errors.ts'

/** What of a request tells where it comes from. */
export interface Sent {
  method: string
  headers: Record<string, string | string[] | undefined> & { cookie?: string | undefined }
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
export const isSafe = ({ method }: Pick<Sent, 'method'>): boolean => SAFE_METHODS.has(method)

/**
 * A page of somebody else must neither use a session nor open one that the person takes for their own. Browsers say
 * where a request comes from; what says nothing is no browser and carries no cookie of a person.
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
