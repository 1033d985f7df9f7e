import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { row } from '../server/platform/csv.ts'
import { codeOf, OperatorError } from '../server/platform/errors.ts'
import { generatePeople, type SourcePerson } from './generated-people.ts'
import { type FaultSettings, Faults } from './scim/faults.ts'

const DEFAULT_PEOPLE = 50
const PAGE_SIZE = 100
const MAX_PAGE_SIZE = 1000

interface LabOptions {
  /** 0: any free port. */
  port?: number
  people?: number | SourcePerson[]
  /** Without one, everybody may read. */
  token?: string
  faults?: FaultSettings
}

interface Reply {
  type?: string
  headers?: Record<string, string>
  /** Text is sent piece by piece, anything else as JSON. */
  body: Iterable<string> | object
}

type Route = (people: SourcePerson[], query: URLSearchParams, address: string) => Reply

const count = (query: URLSearchParams, name: string, byDefault: number): number => {
  const value = Number(query.get(name) ?? byDefault)
  return Number.isSafeInteger(value) && value >= 0 ? value : byDefault
}

const sizeOf = (query: URLSearchParams): number =>
  Math.min(count(query, 'limit', PAGE_SIZE), MAX_PAGE_SIZE)

/** The address of the page after this one; undefined after the last. */
function nextOf(people: SourcePerson[], query: URLSearchParams, address: string) {
  const next = count(query, 'offset', 0) + sizeOf(query)
  if (next >= people.length) return undefined
  return `${address}?${new URLSearchParams([...query].filter(([name]) => name !== 'offset'))}&offset=${next}`
}

const pageAt = (people: SourcePerson[], start: number, query: URLSearchParams) =>
  people.slice(start, start + sizeOf(query))

function* lines(people: SourcePerson[]): Generator<string> {
  for (const person of people) yield `${JSON.stringify(person)}\n`
}

function* rows(people: SourcePerson[]): Generator<string> {
  const cells = ({ location, groups, ...rest }: SourcePerson) => ({
    ...rest,
    ...location,
    groups: groups.join('|'),
  })
  yield row(Object.keys(cells(generatePeople(1)[0]!)))
  for (const person of people) yield row(Object.values(cells(person)))
}

/** One path for each style of paging and each format. */
const ROUTES: Record<string, Route> = {
  '/people': (people) => ({ body: people }),
  '/offset': (people, query) => ({
    body: { people: pageAt(people, count(query, 'offset', 0), query), total: people.length },
  }),
  '/page': (people, query) => ({
    body: { people: pageAt(people, (count(query, 'page', 1) - 1) * sizeOf(query), query) },
  }),
  '/cursor': (people, query) => {
    const start = Number(Buffer.from(query.get('cursor') ?? '', 'base64url').toString())
    const end = start + sizeOf(query)
    const next = end < people.length ? Buffer.from(String(end)).toString('base64url') : null
    return { body: { people: pageAt(people, start, query), next_cursor: next } }
  },
  '/link': (people, query, address) => {
    const next = nextOf(people, query, address)
    return {
      ...(next && { headers: { link: `<${next}>; rel="next"` } }),
      body: pageAt(people, count(query, 'offset', 0), query),
    }
  },
  '/next': (people, query, address) => ({
    body: {
      people: pageAt(people, count(query, 'offset', 0), query),
      next: nextOf(people, query, address) ?? null,
    },
  }),
  '/people.jsonl': (people) => ({ type: 'application/x-ndjson', body: lines(people) }),
  '/people.csv': (people) => ({ type: 'text/csv; charset=utf-8', body: rows(people) }),
}

export const PATHS: readonly string[] = Object.keys(ROUTES)

function piecesOf(body: Reply['body']): Iterable<string> {
  return Symbol.iterator in body && !Array.isArray(body)
    ? (body as Iterable<string>)
    : [JSON.stringify(body)]
}

function cutInTheMiddle(response: ServerResponse, pieces: Iterable<string>): void {
  const text = [...pieces].join('')
  response.write(text.slice(0, text.length / 2), () => response.destroy())
}

/** A people API on loopback: a source of imports, for tests, benchmarks and the demo. Not part of the service. */
export async function startPeopleLab(options: LabOptions = {}) {
  const { port = 0, people: given = DEFAULT_PEOPLE, token } = options
  const faults = new Faults()
  faults.set(options.faults ?? {})
  const stop = new AbortController()
  const lab = {
    /** Without a path; those of `PATHS` follow. */
    url: '',
    token,
    /** May be changed while it runs. */
    people: typeof given === 'number' ? generatePeople(given) : given,
    faults,
    /** Path and query of every request. */
    requests: [] as string[],
    async close(): Promise<void> {
      stop.abort()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    lab.requests.push(request.url!)
    const { kind, status, retryAfter, delayMs } = faults.next()
    if (delayMs > 0) await delay(delayMs, undefined, { signal: stop.signal }).catch(() => {})
    const refuse = (code: number, message: string, headers = {}) =>
      void response.writeHead(code, headers).end(JSON.stringify({ message }))
    if (kind === 'cutBefore') return void request.socket.destroy()
    if (kind === 'status')
      return refuse(status, 'The lab lets this request fail', {
        ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
      })
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
      return refuse(401, 'The token is missing or wrong')
    const { pathname, searchParams } = new URL(request.url!, lab.url)
    const route = Object.hasOwn(ROUTES, pathname) ? ROUTES[pathname] : undefined
    if (!route) return refuse(404, `There is no such path; use one of ${PATHS.join(', ')}`)
    const { type, headers, body } = route(lab.people, searchParams, `${lab.url}${pathname}`)
    response.writeHead(200, { 'content-type': type ?? 'application/json', ...headers })
    if (kind === 'cutAfter') cutInTheMiddle(response, piecesOf(body))
    // Fails when the client leaves.
    else await pipeline(Readable.from(piecesOf(body)), response).catch(() => {})
  }

  const server = createServer((request, response) => void answer(request, response))
  server.listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') throw error
    throw new OperatorError(`Port ${port} is in use; choose another with --port`)
  }
  lab.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return lab
}
