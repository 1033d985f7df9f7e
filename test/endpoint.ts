import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'

type Answer = (path: string, body: string) => string | undefined

/** A server on loopback; undefined is an error. Closed when the test file is done. */
async function serve(answer: Answer): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = answer(request.url ?? '', await text(request))
    response.writeHead(body === undefined ? 500 : 200).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Hands each body to `answer`. */
export const startEndpoint = async (answer: (body: string) => string | undefined) =>
  `${await serve((_, body) => answer(body))}/`

/** Hands each path to `answer`. */
export const startPage = (answer: (path: string) => string) => serve((path) => answer(path))
