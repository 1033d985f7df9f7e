import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { open, serve } from '../../../test/imports/source.ts'
import { CsvRecords } from './csv.ts'
import type { SourceConfig } from './schema.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function heap(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

const ROWS = 100_000
const PAGE = 1000
const NOTE = 'x'.repeat(300)
const json = (id: number) => JSON.stringify({ id, note: NOTE })

function* lines() {
  for (let id = 0; id < ROWS; id += 100)
    yield Array.from({ length: 100 }, (_, at) => `${json(id + at)}\n`).join('')
}

function* rows() {
  yield 'id,note\n'
  for (let id = 0; id < ROWS; id += 100)
    yield Array.from({ length: 100 }, (_, at) => `${id + at},"${NOTE}"\n`).join('')
}

test('memory does not grow with the number of records', async (t) => {
  const { url } = await serve(t, (request, response, query) => {
    if (request.url === '/jsonl') Readable.from(lines()).pipe(response)
    else if (request.url === '/csv') Readable.from(rows()).pipe(response)
    else {
      const from = Number(query.get('offset'))
      const length = Math.min(PAGE, ROWS - from)
      response.end(`[${Array.from({ length }, (_, at) => json(from + at)).join(',')}]`)
    }
  })
  const paging = { type: 'offset' as const, pageSize: PAGE }
  const auth = { type: 'none' as const }
  for (const more of [
    { format: 'jsonl' },
    { format: 'csv' },
    { format: 'json', paging },
  ] as const) {
    const config: SourceConfig = {
      kind: 'rest',
      baseUrl: url,
      listPath: more.format,
      auth,
      ...more,
    }
    let count = 0
    let [early, late] = [0, 0]
    for await (const batch of open(t, config).source.read()) {
      const before = count
      count += batch.length
      if (before < ROWS / 10 && count >= ROWS / 10) early = heap()
      if (before < ROWS - PAGE && count >= ROWS - PAGE) late = heap()
    }
    assert.equal(count, ROWS)
    // The records themselves are 60 MB and more.
    const growth = (late - early) / 1024 / 1024
    assert.ok(early > 0 && growth < 16, `${more.format}: ${growth.toFixed(1)} MB`)
  }
})

test('a row that never ends is not kept in memory', async () => {
  for (const piece of ['x', ','])
    assert.throws(() => {
      const parser = new CsvRecords(',')
      parser.push('a\n')
      for (let at = 0; at < 24; at++) parser.push(piece.repeat(1024 * 1024))
    }, /The row of line 2 does not end/)
})
