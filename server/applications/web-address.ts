/** Loopback traffic needs no TLS (RFC 8252 §7.3). */
export const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * The problem with a URL that browsers are redirected to; null if it is valid in a header. `plain` lists the hosts that
 * may use http; if absent, all may.
 */
export function wrongAddress(value: string, plain?: ReadonlySet<string>): string | null {
  if (/[^\x21-\x7e]/.test(value))
    return 'must not contain spaces, line breaks or non-ASCII characters; encode them'
  const url = URL.parse(value)
  if (!url || !['https:', 'http:'].includes(url.protocol))
    return `"${value}" is not a URL that starts with https:// or http://`
  if (url.protocol === 'http:' && plain && !plain.has(url.hostname))
    return `"${value}" must start with https://; http:// is for ${[...plain].join(', ')} only`
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  return value.includes('#') ? 'must not have a fragment' : null
}
