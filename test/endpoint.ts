import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'

/** A server that hands each body to `answer`; undefined is an error. Closed when the test file is done. */
export async function startEndpoint(answer: (body: string) => string | undefined): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = answer(await text(request))
    response.writeHead(body === undefined ? 500 : 200).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
