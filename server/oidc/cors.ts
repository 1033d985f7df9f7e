import type { OidcApplication } from '../applications/index.ts'
import { isRegistered } from './redirect-uris.ts'

/** Public documents: any page may read them. */
export const ANY_ORIGIN = { 'access-control-allow-origin': '*' }

/** Whether the origin serves one of the client's redirect URIs. */
const isOwnOrigin = (origin: string, redirectUris: readonly string[]): boolean =>
  isRegistered(
    origin,
    redirectUris.map((uri) => new URL(uri).origin),
  )

/**
 * Public clients run in the browser and call from their own origin. Confidential ones have no business there: a secret in
 * a page is none.
 */
export const crossOriginHeaders = (
  { secretHash, redirectUris }: Pick<OidcApplication, 'secretHash' | 'redirectUris'>,
  origin: string,
): Record<string, string> => ({
  vary: 'origin',
  ...(secretHash === null &&
    isOwnOrigin(origin, redirectUris) && { 'access-control-allow-origin': origin }),
})

export const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-max-age': '600',
}
