import { readFileSync } from 'node:fs'
import { Pool } from 'undici'

// The pages that an import reads, read by a client that does nothing with them.

export interface ReadPages {
  url: string
  pageSize: number
}

const { url, pageSize }: ReadPages = JSON.parse(readFileSync(0, 'utf8'))
const pool = new Pool(url)
let people = 0
const started = performance.now()
for (let total = 1; people < total; ) {
  const path = `/offset?limit=${pageSize}&offset=${people}`
  const { body } = await pool.request({ path, method: 'GET' })
  const page = (await body.json()) as { people: object[]; total: number }
  people += page.people.length
  total = page.total
}
const seconds = (performance.now() - started) / 1000
await pool.close()
process.stdout.write(JSON.stringify({ perSecond: people / seconds }))
