import { Readable } from 'node:stream'
import { OutboundError } from './errors.ts'
import type { Message, Reply } from './hop.ts'

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** RFC 9110 §15.4: only 307 and 308 keep method and body; the others would turn a POST into a GET. */
export function redirected(from: URL, reply: Reply, { method, body }: Message): URL | null {
  const { location } = reply.headers
  if (!REDIRECTS.has(reply.status) || location === undefined) return null
  const bad = (words: string) =>
    new OutboundError('bad_redirect', `${from.host} redirects ${words}`)
  const to = URL.parse(location, from)
  if (!to) throw bad('to an invalid URL')
  // Compares the port, too: another port is another service.
  if (to.host !== from.host || to.username !== '' || to.password !== '')
    throw bad(`to ${to.host || 'another place'}; use the final URL`)
  if (to.protocol !== 'https:' && to.protocol !== from.protocol)
    throw bad(`to ${to.protocol}//, which is not encrypted`)
  const keeps = reply.status >= 307 || ['GET', 'HEAD'].includes(method)
  if (!keeps) throw bad(`with status ${reply.status}, which would lose the body; use 307 or 308`)
  if (body instanceof Readable) throw bad('a body that can only be sent once; use the final URL')
  return to
}
