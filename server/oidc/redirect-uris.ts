import { LOOPBACK } from '../applications/index.ts'

const PORT = /^(http:\/\/(?:\[[^\]]+\]|[^/?#:[\]@]+))(?::\d{1,5})?(?=[/?]|$)/

/** Without its port, if it is a loopback address; otherwise undefined. */
function loopbackWithoutPort(uri: string): string | undefined {
  const url = URL.parse(uri)
  return url?.protocol === 'http:' && LOOPBACK.has(url.hostname) && PORT.test(uri)
    ? uri.replace(PORT, '$1')
    : undefined
}

/**
 * Compared character by character. Native clients listen on whichever port is free, so that of a loopback address does
 * not matter (RFC 8252 §7.3).
 */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true
  const local = loopbackWithoutPort(uri)
  return local !== undefined && registered.some((known) => loopbackWithoutPort(known) === local)
}
