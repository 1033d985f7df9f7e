import type { RouteOptions } from 'fastify'
import type { Random } from '../insights/random.ts'
import { type Ids, maker, type Schema } from './from-schema.ts'
import { multipart, PROTOCOLS, protocolPairs } from './protocols.ts'
import { hostile, hostileText, ODD_NAMES, spoil, written } from './values.ts'

export interface Route {
  method: string
  /** As registered: /api/systemusers/:id */
  url: string
  schema: { querystring?: Schema; headers?: Schema; body?: Schema; requestBody?: object }
}

export interface FuzzRequest {
  method: string
  url: string
  headers: Record<string, string>
  payload: string | undefined
}

/** Every method of every route; HEAD is GET without a body. */
export const routesOf = (registered: RouteOptions[]): Route[] =>
  registered.flatMap(({ method, url, schema }) =>
    [method]
      .flat()
      .filter((one) => one !== 'HEAD')
      .map((one) => ({ method: one, url, schema: (schema ?? {}) as Route['schema'] })),
  )

/** A lone surrogate cannot be URL-encoded, so it becomes U+FFFD. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed())

type Pair = [name: string, value: string]
const encodedPairs = (pairs: Pair[]): string =>
  pairs.map(([name, value]) => `${encoded(name)}=${encoded(value.slice(0, 8000))}`).join('&')

const asText = (value: unknown): string => (typeof value === 'string' ? value : written(value))

/** Header values are one line of Latin-1. */
const headerText = (text: string): string =>
  text.replace(/[^\t\x20-\x7e\xa0-\xff]/g, '?').slice(0, 4000)

const FORM = 'application/x-www-form-urlencoded'

const TYPES = [
  FORM,
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'text/plain',
  'application/xml',
  'application/json; charset=latin1',
  'application/',
  'nonsense',
]

/** Requests for one route: valid when `wild` is 0, with more mutations the higher it is. */
export function requestMaker(random: Random, ids: Ids) {
  const { pick, chance, below } = random
  let likelihood = 0
  const make = maker(random, ids, () => chance(likelihood))

  function path(url: string, wild: number): string {
    const segments = url.split('/')
    return segments
      .map((segment, at) => {
        const before = segments.slice(0, at).join('/')
        if (!segment.startsWith(':') && segment !== '*') return segment
        if (!chance(wild * 0.3)) return encoded(ids.own(before))
        return pick([
          () => encoded(ids.any()),
          () => encoded(hostileText(random).slice(0, 300)),
          () => pick(['%zz', '%c3%28', '%00', '.', '%2e%2e', 'f'.repeat(24), 'F'.repeat(24)]),
          () => encoded(pick(ODD_NAMES)),
        ])()
      })
      .join('/')
  }

  function queryOf(schema: Schema, wild: number): string {
    const pairs: Pair[] = []
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      if (!schema.required?.includes(name) && !chance(0.3)) continue
      const value = chance(wild * 0.5) ? hostile(random) : make(member, name)
      const values = Array.isArray(value) && value.length < 100 ? value : [value]
      for (const one of values) pairs.push([name, asText(one)])
      if (chance(wild * 0.1)) pairs.push([name, asText(hostile(random))])
      if (chance(wild * 0.1))
        pairs.push([
          `${name}[${pick(['', '0', 'or][0', 'a', '__proto__'])}]`,
          asText(hostile(random)),
        ])
    }
    if (chance(wild * 0.1)) pairs.push([pick(ODD_NAMES), hostileText(random)])
    if (chance(wild * 0.03))
      pairs.push(...Array.from({ length: 500 }, (_, at): Pair => [`x${at}`, 'y']))
    const text = encodedPairs(pairs)
    return text === '' ? '' : `?${chance(wild * 0.03) ? `${text}&%zz=%` : text}`
  }

  function headersOf(schema: Schema, wild: number): Record<string, string> {
    const headers: Record<string, string> = {}
    for (const [name, member] of Object.entries(schema.properties ?? {}))
      if (chance(0.5))
        headers[name] = headerText(
          asText(chance(wild * 0.5) ? hostileText(random) : make(member, name)),
        )
    if (chance(wild * 0.08))
      headers['x-org-id'] = headerText(chance(0.5) ? ids.any() : hostileText(random))
    if (chance(wild * 0.04)) headers['x-provider-id'] = headerText(hostileText(random))
    if (chance(wild * 0.06)) headers.accept = headerText(hostileText(random))
    if (chance(wild * 0.06))
      headers['accept-encoding'] = pick(['gzip;q=x', 'br, *;q=0', ';;', 'gzip'])
    if (chance(wild * 0.06)) headers['user-agent'] = headerText(hostileText(random))
    if (chance(wild * 0.04))
      headers.cookie = headerText(`${hostileText(random)}=${hostileText(random)}; a`)
    if (chance(wild * 0.03))
      headers.authorization = headerText(
        pick(['Basic ', 'Bearer ', 'Signature ', '']) + hostileText(random),
      )
    return headers
  }

  function bodyOf(schema: Schema, wild: number): string | undefined {
    if (chance(wild * 0.06)) return undefined
    if (chance(wild * 0.06)) return pick(['', ' ', 'null', '[]', '{}', '""', '0', 'true'])
    let value = make(schema, '', chance(0.3))
    const wrongs = wild === 0 ? 0 : chance(0.7) ? 1 : 1 + below(4)
    for (let at = 0; at < wrongs; at++) value = spoil(random, value)
    const text = written(value)
    return chance(wild * 0.06)
      ? text.slice(0, below(text.length)) + pick(['', '}', '\u0000', ',,'])
      : text
  }

  function payloadOf(
    { method, url, schema }: Route,
    wild: number,
  ): { type?: string; payload?: string | undefined } {
    if (method === 'GET') return {}
    if (schema.requestBody !== undefined && chance(0.8)) return multipart(random)
    if (PROTOCOLS.test(url) && chance(0.8))
      return { type: FORM, payload: encodedPairs(protocolPairs(random)) }
    if (schema.body === undefined && !chance(0.2 + wild * 0.2)) return {}
    const type = chance(wild * 0.06) ? pick(TYPES) : 'application/json'
    return { type, payload: bodyOf(schema.body ?? {}, wild) }
  }

  return (route: Route, wild: number): FuzzRequest => {
    likelihood = wild * 0.15
    const { method, url, schema } = route
    const protocol = PROTOCOLS.test(url) && method === 'GET'
    const query = protocol
      ? `?${encodedPairs(protocolPairs(random))}`
      : queryOf(schema.querystring ?? {}, wild)
    const { type, payload } = payloadOf(route, wild)
    const headers = {
      ...headersOf(schema.headers ?? {}, wild),
      ...(type !== undefined && payload !== undefined && { 'content-type': type }),
    }
    return { method, url: path(url, wild) + query, headers, payload }
  }
}
