import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface RawRequest {
  method: string
  /** Encoded, as sent. */
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: tests read deep into JSON that they expect
  body: any
}

interface RawReply {
  status?: number
  headers?: Record<string, string>
  /** An object is sent as JSON. */
  body?: object | string
}

/** 'cut' closes the connection without a response. */
export type RawAnswer = (request: RawRequest) => RawReply | 'cut'

/** A server whose responses the test writes: for providers that misbehave. */
export async function startRawServer(t: TestContext, answer: RawAnswer) {
  const requests: RawRequest[] = []
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString()
    const url = new URL(request.url ?? '', 'http://localhost')
    const isJson = request.headers['content-type']?.includes('json')
    const seen = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: isJson ? JSON.parse(text) : text,
    }
    requests.push(seen)
    const reply = answer(seen)
    if (reply === 'cut') return request.socket.destroy()
    const { status = 200, headers, body } = reply
    response.writeHead(status, { 'content-type': 'application/scim+json', ...headers })
    return response.end(typeof body === 'object' ? JSON.stringify(body) : body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, requests }
}

export const page = (Resources: object[], totalResults = Resources.length) => ({
  body: { Resources, totalResults },
})
