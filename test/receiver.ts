import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Received {
  id: string
  headers: IncomingMessage['headers']
  body: string
  events: Record<string, unknown>[]
}

type Answer = (received: Received, response: ServerResponse) => void | Promise<void>

/** A webhook receiver on loopback. Records accepted (2xx) deliveries separately from all. */
export async function startReceiver() {
  const received: Received[] = []
  const accepted: Received[] = []
  let answer: Answer = (_, response) => void response.end()
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const { headers } = request
    const events =
      headers['content-type'] === 'application/x-ndjson'
        ? body
            .split('\n')
            .slice(0, -1)
            .map((line) => JSON.parse(line))
        : JSON.parse(body)
    const one = { id: String(headers['webhook-id']), headers, body, events }
    received.push(one)
    await answer(one, response)
    if (response.writableEnded && response.statusCode < 300) accepted.push(one)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Tests need not wait for it to end.
  server.unref()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`,
    received,
    accepted,
    answerWith(next: Answer) {
      answer = next
    },
    answerStatus(status: number, headers: Record<string, string> = {}) {
      answer = (_, response) => void response.writeHead(status, headers).end()
    },
    /** Names of the accepted events, in order of arrival. */
    names: () =>
      accepted.flatMap(({ events }) => events.map((event) => event.name ?? event.event_type)),
  }
}
