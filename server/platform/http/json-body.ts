import type { FastifyInstance } from 'fastify'
import { invalid } from '../errors.ts'
import { ignoreEmptyType, refuseOtherBodies } from './form-body.ts'

/** Enough for the deepest search term that Insights allows, with an object and a list per level. */
const MAX_DEPTH = 128

/** Counts nested brackets outside strings, in linear time; stops at the limit. */
export function deeperThan(text: string, limit: number): boolean {
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (quoted) {
      if (code === 92) at++
      else if (code === 34) quoted = false
    } else if (code === 34) quoted = true
    else if (code === 123 || code === 91) {
      if (++depth > limit) return true
    } else if (code === 125 || code === 93) depth--
  }
  return false
}

/** Accepts an empty body: generated clients send `Content-Type: application/json` even on GET and DELETE. */
export function registerJsonBody(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'ignore')
  app.removeAllContentTypeParsers()
  ignoreEmptyType(app)
  refuseOtherBodies(app)
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body as string
    if (text.trim() === '') return done(null, undefined)
    if (deeperThan(text, MAX_DEPTH)) {
      return done(
        invalid('body_too_deep', `The body is nested deeper than ${MAX_DEPTH} levels`),
        undefined,
      )
    }
    void parse(request, text, (error, value) =>
      error
        ? done(invalid('body_malformed', 'The body is not valid JSON'), undefined)
        : done(null, value),
    )
  })
}
