import { readFileSync } from 'node:fs'
import autocannon from 'autocannon'
import type { Load, LoadResult } from './load.ts'

// The load generator, in a separate process, so that it does not share the server's event loop.

const { url, method, headers, connections, seconds, paths, uniqueBody }: Load = JSON.parse(
  readFileSync(0, 'utf8'),
)
const mark = Math.random().toString(36).slice(2)
let made = 0

const [only, ...others] = paths ?? []
const result = await autocannon({
  url: only !== undefined && others.length === 0 ? `${url}${only}` : url,
  method,
  headers,
  connections,
  duration: seconds,
  ...(others.length > 0 && {
    requests: [
      {
        setupRequest: (request: autocannon.Request) => ({
          ...request,
          path: paths![Math.floor(Math.random() * paths!.length)]!,
        }),
      },
    ],
  }),
  ...(uniqueBody && {
    requests: [
      {
        setupRequest: (request: autocannon.Request) => ({
          ...request,
          body: JSON.stringify(uniqueBody).replaceAll('$unique', `${mark}-${++made}`),
        }),
      },
    ],
  }),
})

const answer: LoadResult = {
  perSecond: result['2xx'] / result.duration,
  failed: result.non2xx + result.errors,
  p50: result.latency.p50,
  p99: result.latency.p99,
}
process.stdout.write(JSON.stringify(answer))
