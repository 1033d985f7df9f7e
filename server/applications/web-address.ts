/**
 * What is wrong with an address that browsers are sent to, as it can stand in a header; null: nothing. `plain` names the
 * hosts that may do without TLS; not given: all.
 */
export function wrongAddress(value: string, plain?: ReadonlySet<string>): string | null {
  if (/[^\x21-\x7e]/.test(value))
    return 'must have no spaces, line ends or letters beyond ASCII; encode them'
  const url = URL.parse(value)
  if (!url || !['https:', 'http:'].includes(url.protocol))
    return `"${value}" is not an address that begins with https:// or http://`
  if (url.protocol === 'http:' && plain && !plain.has(url.hostname))
    return `"${value}" must begin with https://; http:// is for ${[...plain].join(', ')} only`
  if (url.username !== '' || url.password !== '')
    return 'must not have a user name or password in it'
  return value.includes('#') ? 'must not have a fragment' : null
}
