import { Agent, request } from 'node:http'
import { keyHeader, type Service } from '../service.ts'

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

interface Answer {
  rows: number
  bytes: number
  after: unknown
}

/** Reads the whole answer, as it comes over the wire: unpacked and unparsed. */
export const post = (
  service: Pick<Service, 'url' | 'apiKey'>,
  organizationId: string,
  path: string,
  body: string | Buffer,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Promise<Answer & { text: string }> =>
  new Promise((resolve, reject) => {
    const sent = request(
      new URL(`/insights/directory/v1/${path}`, service.url),
      {
        method: 'POST',
        agent,
        headers: {
          ...keyHeader(service.apiKey),
          'x-org-id': organizationId,
          'content-length': Buffer.byteLength(body),
          ...headers,
        },
      },
      (response) => {
        const parts: Buffer[] = []
        let bytes = 0
        response.on('data', (part: Buffer) => {
          bytes += part.length
          // Large responses are not kept.
          if (bytes < 100_000) parts.push(part)
        })
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(parts).toString()
          if (response.statusCode !== 200) return reject(new Error(`${path}: ${text}`))
          const after = response.headers['x-search_after']
          resolve({
            rows: Number(response.headers['x-result-count']),
            bytes,
            after: typeof after === 'string' ? JSON.parse(after) : undefined,
            text,
          })
        })
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
