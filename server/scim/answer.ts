import type { IncomingHttpHeaders } from 'node:http'
import type { AnswerBody } from '../platform/outbound/hop.ts'
import { canonical, isObject, type Json } from './resource.ts'

const MAX_BYTES = 1_048_576

/** Content types are not considered: providers label JSON in many ways. */
type Content = Json | 'empty' | 'html' | 'too_large' | 'unreadable'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  content: Content
}

function parse(text: string): Content {
  if (text === '') return 'empty'
  if (text.startsWith('<')) return 'html'
  try {
    const value = canonical(JSON.parse(text))
    return isObject(value) ? value : 'unreadable'
  } catch {
    return 'unreadable'
  }
}

/** A response over the limit is abandoned, but its status still counts: a PATCH may return a group with its members. */
export async function readContent(body: AnswerBody): Promise<Content> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_BYTES) return 'too_large'
    chunks.push(chunk)
  }
  // trim() removes a byte order mark, too.
  return parse(Buffer.concat(chunks).toString().trim())
}
