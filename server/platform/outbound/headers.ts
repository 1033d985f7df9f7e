import type { IncomingHttpHeaders } from 'node:http'

/** Headers that must not repeat; the first one counts, as in node:http. */
const SINGLE = new Set([
  'age',
  'content-length',
  'content-type',
  'etag',
  'expires',
  'last-modified',
  'location',
  'retry-after',
])

/** RFC 9110 §5.3: repeated headers form one list, except for cookies. */
export function foldHeaders(
  headers: Record<string, string | string[] | undefined>,
): IncomingHttpHeaders {
  const folded: IncomingHttpHeaders = {}
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'set-cookie') folded[name] = [value ?? []].flat()
    else if (!Array.isArray(value)) folded[name] = value
    else folded[name] = SINGLE.has(name) ? value[0] : value.join(', ')
  }
  return folded
}
