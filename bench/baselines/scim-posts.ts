import { readFileSync } from 'node:fs'
import { Pool } from 'undici'

// The accounts that provisioning writes, written by a client that does nothing else.

export interface ScimPosts {
  url: string
  token: string
  concurrency: number
  bodies: object[]
}

const { url, token, concurrency, bodies }: ScimPosts = JSON.parse(readFileSync(0, 'utf8'))
const { origin, pathname } = new URL(url)
const pool = new Pool(origin, { connections: concurrency })
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' }
const texts = bodies.map((body) => JSON.stringify(body)).values()

async function worker(): Promise<void> {
  for (const body of texts) {
    const path = `${pathname}/Users`
    const response = await pool.request({ path, method: 'POST', headers, body })
    const text = await response.body.text()
    if (response.statusCode !== 201) throw new Error(text)
    JSON.parse(text)
  }
}

const started = performance.now()
await Promise.all(Array.from({ length: concurrency }, worker))
const seconds = (performance.now() - started) / 1000
await pool.close()
process.stdout.write(JSON.stringify({ perSecond: bodies.length / seconds }))
