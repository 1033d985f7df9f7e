import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPeopleLab } from '../../../lab/people.ts'
import { fails, idsOf, open, readAll, sendJson, serve } from '../../../test/imports/source.ts'
import type { SourceConfig } from './schema.ts'

type Rest = Extract<SourceConfig, { kind: 'rest' }>
const rest = (baseUrl: string, more: Partial<Rest> = {}): Rest => ({
  kind: 'rest',
  baseUrl,
  auth: { type: 'none' },
  ...more,
})

const range = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) => ({ id: from + at }))
const ids = (count: number) => range(0, count).map(({ id }) => id)

/** The same people on every path of the lab. */
const STYLES: [string, Partial<Rest>, number][] = [
  ['/people', {}, 1],
  ['/offset', { recordPath: 'people', paging: { type: 'offset', totalPath: 'total' } }, 3],
  ['/offset', { recordPath: 'people', paging: { type: 'offset' } }, 3],
  ['/page', { recordPath: 'people', paging: { type: 'page', pageSize: 70 } }, 4],
  ['/cursor', { recordPath: 'people', paging: { type: 'cursor' } }, 3],
  [
    '/cursor',
    { recordPath: 'people', paging: { type: 'cursor', sizeParam: 'limit', pageSize: 50 } },
    5,
  ],
  ['/link', { paging: { type: 'link' } }, 3],
  ['/next', { recordPath: 'people', paging: { type: 'link', nextPath: 'next' } }, 3],
  ['/people.jsonl', { format: 'jsonl' }, 1],
  ['/people.csv', { format: 'csv' }, 1],
]

test('every style of paging and every format gives the same people', async (t) => {
  const lab = await startPeopleLab({ people: 250, token: 'T' })
  t.after(lab.close)
  const expected = lab.people.map(({ id }) => id)
  for (const [listPath, more, requests] of STYLES) {
    lab.requests.length = 0
    const auth = { type: 'bearer' as const, token: 'T' }
    const { source } = open(t, rest(lab.url, { listPath, auth, ...more }))
    const records = await readAll(source)
    const name = JSON.stringify([listPath, more])
    assert.deepEqual(idsOf(records), expected, name)
    assert.equal(lab.requests.length, requests, name)
    const [first] = records
    assert.ok(first && 'record' in first)
    assert.equal(first.record.email, lab.people[0]!.email)
  }
})

test('faults of every kind are overcome, in the middle of a stream, too', async (t) => {
  const lab = await startPeopleLab({ people: 2500 })
  t.after(lab.close)
  const expected = lab.people.map(({ id }) => id)
  const retries = new Set<string>()
  for (const [listPath, more] of STYLES) {
    lab.faults.set({ failRate: 0.3, status: 503, cutBefore: true, cutAfter: true, seed: 3 })
    const { source } = open(t, rest(lab.url, { listPath, ...more }))
    const records = await readAll(source, { onRetry: (why) => retries.add(why) })
    assert.deepEqual(idsOf(records), expected, listPath)
  }
  // A connection that is cut before the response is replaced by Outbound.
  const words = [...retries].join('\n')
  assert.match(words, /in the middle of its response/)
  assert.match(words, /The source failed: .* \(503\)/)
})

test('a page that is shorter than requested does not end the list by itself', async (t) => {
  const cases: [pageSize: number, cap: number, requests: number][] = [
    // The source allows fewer than requested: only an empty page is the end.
    [100, 40, 4],
    // A full page, then a shorter one.
    [60, 100, 2],
    [50, 100, 3],
    [200, 200, 2],
  ]
  for (const [pageSize, cap, count] of cases) {
    const { url, requests } = await serve(t, (_, response, query) => {
      const offset = Number(query.get('offset'))
      const end = Math.min(100, offset + Math.min(cap, Number(query.get('limit'))))
      sendJson(response, range(offset, end))
    })
    const { source } = open(t, rest(url, { paging: { type: 'offset', pageSize } }))
    assert.deepEqual(idsOf(await readAll(source)), ids(100))
    assert.equal(requests.length, count, `${pageSize} ${cap}`)
  }
})

test('a total of the source decides where the list ends', async (t) => {
  const sizes = [3, 1, 2]
  const serving = (total: number) =>
    serve(t, (_, response, query) => {
      const offset = Number(query.get('offset'))
      const at = [0, 3, 4].indexOf(offset)
      sendJson(response, range(offset, offset + (sizes[at] ?? 0)), { 'x-total-count': total })
    })
  const paging = { type: 'offset' as const, pageSize: 3 }
  const complete = await serving(6)
  assert.deepEqual(idsOf(await readAll(open(t, rest(complete.url, { paging })).source)), ids(6))
  assert.equal(complete.requests.length, 3)
  await assert.rejects(
    readAll(open(t, rest((await serving(7)).url, { paging })).source),
    fails('rejected', /ended after 6 of 7 records/),
  )
})

test('a number of pages is not taken for a number of records', async (t) => {
  const { url } = await serve(t, (_, response, query) => {
    const page = Number(query.get('page'))
    sendJson(response, { data: range(page * 10 - 10, page * 10), meta: { total_pages: 3 } })
  })
  const paging = { type: 'page' as const, pageSize: 10, totalPath: 'meta.total_pages' }
  await assert.rejects(
    readAll(open(t, rest(url, { recordPath: 'data', paging })).source),
    fails('misconfigured', /paging.totalPath: .* 10 records, but the total is 3/),
  )
})

test('pages are counted from the first one, with or without a size', async (t) => {
  const { url, requests } = await serve(t, (_, response, query) =>
    sendJson(
      response,
      query.get('p') === '2'
        ? []
        : range(Number(query.get('p')) * 2, Number(query.get('p')) * 2 + 2),
    ),
  )
  const paging = { type: 'page' as const, pageParam: 'p', sizeParam: null, firstPage: 0 }
  assert.deepEqual(idsOf(await readAll(open(t, rest(url, { paging })).source)), ids(4))
  assert.deepEqual(requests, ['/?p=0', '/?p=1', '/?p=2'])
})

test('the parameters of the request replace those of the settings', async (t) => {
  const { url, requests } = await serve(t, (_, response) => sendJson(response, []))
  const { source } = open(
    t,
    rest(`${url}/api/?tenant=5`, {
      listPath: '/staff list',
      query: { state: 'active', fields: 'a b' },
      paging: { type: 'offset' },
    }),
  )
  await readAll(source)
  await readAll(source, { query: '?state=left&state=new&q=x%2By' })
  assert.deepEqual(requests, [
    '/api/staff%20list?tenant=5&state=active&fields=a%20b&limit=100&offset=0',
    '/api/staff%20list?tenant=5&fields=a%20b&state=left&state=new&q=x%2By&limit=100&offset=0',
  ])
})

test('a source that asks to wait is obeyed, within limits', async (t) => {
  let asked = '7'
  const { url, requests } = await serve(t, (_, response) =>
    requests.length % 2 === 1
      ? response.writeHead(429, { 'retry-after': asked }).end('{"message":"slow down"}')
      : sendJson(response, range(0, 1)),
  )
  const { source, waits } = open(t, rest(url))
  const retries: string[] = []
  assert.deepEqual(idsOf(await readAll(source, { onRetry: (why) => retries.push(why) })), [0])
  assert.deepEqual(waits, [7000])
  assert.deepEqual(retries, ['The source limits the rate of requests: slow down (429)'])
  asked = '3600'
  await assert.rejects(readAll(source), (error) => {
    fails('transient', /limits the rate/)(error)
    assert.equal((error as { retryAfterMs: number }).retryAfterMs, 3_600_000)
    return true
  })
  assert.equal(waits.length, 1)
})

test('a source that stays broken is given up after a few attempts', async (t) => {
  const { url, requests } = await serve(t, (_, response) => response.writeHead(500).end())
  const { source, waits } = open(t, rest(url))
  await assert.rejects(readAll(source), fails('transient', /The source failed \(500\)/))
  assert.equal(requests.length, 5)
  assert.equal(waits.length, 4)
  assert.ok(waits[3]! > waits[0]!)
})

test('each refusal says what to correct', async (t) => {
  let reply: [status: number, type: string, body: string] = [200, '', '']
  const { url } = await serve(t, (_, response) =>
    response.writeHead(reply[0], { 'content-type': reply[1] }).end(reply[2]),
  )
  const { source } = open(t, rest(url, { auth: { type: 'bearer', token: 's3cret' } }))
  const cases: [typeof reply, Parameters<typeof fails>[0], RegExp][] = [
    [
      [401, 'application/json', '{"error":"bad s3cret"}'],
      'misconfigured',
      /credentials: bad \*\*\* \(401\)/,
    ],
    [[403, 'text/html', '<html>'], 'misconfigured', /does not let us read \(403\)/],
    [[404, '', ''], 'misconfigured', /no list at this URL \(404\)/],
    [
      [400, 'application/json', '{"detail":"no limit"}'],
      'rejected',
      /refused the request: no limit \(400\)/,
    ],
    [[302, '', ''], 'misconfigured', /redirects/],
    [[200, 'text/html; charset=utf-8', '<p>'], 'misconfigured', /web page \(200\)/],
    [[200, 'application/json', ' \n<!doctype html>'], 'misconfigured', /web page/],
    [[200, 'text/csv', 'a,b'], 'misconfigured', /sends text\/csv instead of JSON/],
    [[200, 'application/json', '{"a":'], 'rejected', /JSON is invalid/],
    [[200, '', ''], 'rejected', /JSON is invalid/],
    [
      [200, 'application/json', '{"users":[]}'],
      'misconfigured',
      /not a list: set recordPath; the response has the members users/,
    ],
    [
      [200, 'application/json; charset=klingon', '[]'],
      'misconfigured',
      /charset klingon is unknown/,
    ],
  ]
  for (const [next, kind, words] of cases) {
    reply = next
    await assert.rejects(readAll(source), fails(kind, words), String(words))
  }
})

test('the list may be deep in the response, and missing on a later page only', async (t) => {
  const { url } = await serve(t, (_, response, query) =>
    sendJson(
      response,
      query.has('cursor') ? { meta: {} } : { data: { items: range(0, 2) }, meta: { next: 9 } },
    ),
  )
  const paging = { type: 'cursor' as const, cursorPath: 'meta.next' }
  const deep = open(t, rest(url, { recordPath: 'data.items', paging }))
  assert.deepEqual(idsOf(await readAll(deep.source)), [0, 1])
  await assert.rejects(
    readAll(open(t, rest(url, { recordPath: 'data.people', paging })).source),
    fails('misconfigured', /no list at data\.people; the response has the members data, meta/),
  )
})

test('a source that repeats itself fails instead of being read forever', async (t) => {
  const { url, requests } = await serve(t, (request, response, query) => {
    const path = request.url!.split('?')[0]
    const cursor = Number(query.get('cursor') ?? 0)
    if (path === '/same') sendJson(response, { items: range(0, 100), at: requests.length })
    else if (path === '/cursor')
      sendJson(response, { items: range(cursor, cursor + 1), next_cursor: (cursor + 1) % 3 || '0' })
    else if (path === '/link')
      sendJson(response, { items: range(0, 1) }, { link: '</link?a>; rel=next' })
  })
  const repeats = fails('rejected', /repeats its pages/)
  const cases: [string, Rest['paging'], number][] = [
    ['/same', { type: 'offset' }, 2],
    ['/same', { type: 'page' }, 2],
    ['/same', { type: 'cursor', cursorPath: 'at' }, 2],
    ['/cursor', { type: 'cursor' }, 4],
    ['/link', { type: 'link' }, 2],
  ]
  for (const [listPath, paging, count] of cases) {
    requests.length = 0
    const { source } = open(t, rest(url, { listPath, recordPath: 'items', paging: paging! }))
    await assert.rejects(readAll(source), repeats)
    assert.equal(requests.length, count, listPath)
  }
})

test('a source may keep its last cursor when nothing is left', async (t) => {
  const { url, requests } = await serve(t, (_, response, query) => {
    const at = Number(query.get('cursor') ?? 0)
    const items = range(at, Math.min(5, at + 3))
    sendJson(response, { items, next_cursor: String(at + items.length) })
  })
  const config = rest(url, { recordPath: 'items', paging: { type: 'cursor' } })
  assert.deepEqual(idsOf(await readAll(open(t, config).source)), ids(5))
  assert.equal(requests.length, 3)
})

test('a cursor may be in a header of the response', async (t) => {
  const { url } = await serve(t, (_, response, query) => {
    const at = Number(query.get('cursor') ?? 0)
    sendJson(response, range(at, at + 3), at < 6 ? { 'X-Next-Cursor': at + 3 } : {})
  })
  const config = rest(url, { paging: { type: 'cursor', cursorPath: 'X-Next-Cursor' } })
  assert.deepEqual(idsOf(await readAll(open(t, config).source)), ids(9))
})

test('a full first page without a cursor is not taken for the whole list', async (t) => {
  const { url } = await serve(t, (request, response) => {
    const isLast = request.url!.startsWith('/last')
    sendJson(response, { items: range(0, 3), ...(isLast && { next_cursor: null }) })
  })
  const paging = { type: 'cursor', sizeParam: 'limit', pageSize: 3 } as const
  const config = rest(url, { recordPath: 'items', paging })
  const refused = fails('misconfigured', /paging.cursorPath: the first page is full/)
  await assert.rejects(readAll(open(t, config).source), refused)
  const single = rest(url, { listPath: '/last', recordPath: 'items', paging })
  assert.deepEqual(idsOf(await readAll(open(t, single).source)), ids(3))
  const larger = rest(url, { recordPath: 'items', paging: { ...paging, pageSize: 4 } })
  assert.deepEqual(idsOf(await readAll(open(t, larger).source)), ids(3))
})

test('cursors without end and without records are given up', async (t) => {
  const { url, requests } = await serve(t, (_, response) =>
    sendJson(response, { items: [], next_cursor: requests.length }),
  )
  const config = rest(url, { recordPath: 'items', paging: { type: 'cursor' } })
  const { source } = open(t, config, { limits: { maxPages: 50 } })
  await assert.rejects(readAll(source), fails('rejected', /more than 50 pages/))
  assert.equal(requests.length, 50)
})

test('a next link leads only to the same origin', async (t) => {
  const other = await serve(t, (_, response) => sendJson(response, []))
  let next = other.url
  const { url } = await serve(t, (_, response) =>
    sendJson(response, { items: [], next }, { link: `<${next}>; rel="next"` }),
  )
  for (const paging of [{ type: 'link' }, { type: 'link', nextPath: 'next' }] as const)
    for (next of [other.url, `${url.replace('http', 'https')}/2`, '//evil.example/', 'ftp://x/']) {
      const { source } = open(t, rest(url, { recordPath: 'items', paging }))
      await assert.rejects(readAll(source), fails('misconfigured', /leads to another origin/))
    }
  assert.deepEqual(other.requests, [])
})

test('records that change between pages are read as they are on their page', async (t) => {
  const lab = await startPeopleLab({ people: 30 })
  t.after(lab.close)
  const { source } = open(
    t,
    rest(lab.url, {
      listPath: 'offset',
      recordPath: 'people',
      paging: { type: 'offset', pageSize: 10, totalPath: 'total' },
    }),
  )
  const titles: unknown[] = []
  for await (const batch of source.read()) {
    for (const one of batch) titles.push('record' in one && one.record.title)
    for (const person of lab.people) person.title = `after ${titles.length}`
    // Joined meanwhile: the new total counts.
    if (titles.length === 20) lab.people.push({ ...lab.people[0]!, id: 'new' })
  }
  assert.equal(titles.length, 31)
  assert.equal(titles[15], 'after 10')
  assert.equal(titles[30], 'after 30')
})

test('entries that are no objects are problems; a large one is not', async (t) => {
  const big = { id: 'big', photo: 'x'.repeat(10 * 1024 * 1024) }
  const { url } = await serve(t, (request, response) => {
    if (request.url === '/json') sendJson(response, [1, { id: 'a' }, null, big, 'text'])
    else
      response
        .writeHead(200)
        .end(`{"id":"a"}\n\n${JSON.stringify(big)}\r\nnonsense\n[]\n{"id":"b"}`)
  })
  assert.deepEqual(idsOf(await readAll(open(t, rest(url, { listPath: 'json' })).source)), [
    'record 1 of the page is not an object',
    'a',
    'record 3 of the page is not an object',
    'big',
    'record 5 of the page is not an object',
  ])
  const lines = await readAll(open(t, rest(url, { listPath: 'lines', format: 'jsonl' })).source)
  const [a, , bad, list, b] = lines
  assert.deepEqual(idsOf([a!, b!]), ['a', 'b'])
  assert.deepEqual(idsOf([lines[1]!]), ['big'])
  assert.ok(bad && 'problem' in bad && list && 'problem' in list)
  assert.match(bad.problem, /^line 4 is not JSON: /)
  assert.equal(bad.excerpt, 'nonsense')
  assert.equal(list.problem, 'line 5 is not an object')
})

test('a record over the limit is a problem, and the others are read', async (t) => {
  const long = 'x'.repeat(17 * 1024 * 1024)
  const { url } = await serve(t, (request, response) =>
    response
      .writeHead(200)
      .end(
        request.url === '/csv'
          ? `id,name\n1,a\n2,${long}\n3,c\n`
          : `{"id":"1"}\n{"id":"${long}"}\n{"id":"3"}\n`,
      ),
  )
  for (const [format, line] of [
    ['csv', 3],
    ['jsonl', 2],
  ] as const)
    assert.deepEqual(
      idsOf(await readAll(open(t, rest(url, { listPath: format, format })).source)),
      ['1', `line ${line} is longer than 16 MB`, '3'],
    )
})

test('JSON over the limit is refused', async (t) => {
  const chunk = Buffer.alloc(1024 * 1024, ' ')
  const { url } = await serve(t, (_, response) => {
    for (let sent = 0; sent < 65; sent++) response.write(chunk)
    response.end('[]')
  })
  await assert.rejects(
    readAll(open(t, rest(url)).source),
    fails('rejected', /JSON is longer than 64 MB/),
  )
})

test('a stream that is cut continues behind what was delivered, unless it changed', async (t) => {
  let first = 0
  const { url, requests } = await serve(t, (_, response) => {
    const text = range(first, first + 5000).map((one) => `${JSON.stringify(one)}\n`)
    if (requests.length % 2 === 0) response.end(text.join(''))
    else response.write(text.slice(0, 3000).join(''), () => response.destroy())
  })
  const { source, waits } = open(t, rest(url, { format: 'jsonl' }))
  assert.deepEqual(idsOf(await readAll(source)), ids(5000))
  assert.equal(waits.length, 1)
  await assert.rejects(
    readAll(source, { onRetry: () => void first++ }),
    fails('rejected', /changed between two attempts/),
  )
})

test('a source that falls silent fails; one that is slow does not', async (t) => {
  const { url } = await serve(t, (request, response) => {
    if (request.url === '/never') return
    response.write('{"id":0}\n')
    if (request.url === '/silent') return
    let sent = 1
    const more = () => {
      response.write(`{"id":${sent++}}\n`)
      if (sent < 500) setImmediate(more)
      else response.end()
    }
    more()
  })
  const read = (listPath: string, limits = {}) =>
    readAll(open(t, rest(url, { listPath, format: 'jsonl' }), { limits }).source)
  await assert.rejects(
    read('never', { headersMs: 20 }),
    fails('transient', /No response .* within 0\.02 s/),
  )
  await assert.rejects(
    read('silent', { idleMs: 20 }),
    fails('transient', /sent no data within 0\.02 s/),
  )
  assert.deepEqual(idsOf(await read('slow')), ids(500))
})

test('a signal ends the reading with its reason', async (t) => {
  const { url } = await serve(t, (_, response, query) =>
    sendJson(response, range(Number(query.get('offset')), Number(query.get('offset')) + 100)),
  )
  const { source } = open(t, rest(url, { paging: { type: 'offset' } }))
  const stop = new AbortController()
  const reason = new Error('cancelled')
  let batches = 0
  await assert.rejects(
    async () => {
      for await (const _ of source.read({ signal: stop.signal }))
        if (++batches === 3) stop.abort(reason)
    },
    (error) => error === reason,
  )
  assert.equal(batches, 3)
})

test('an access token that is refused is fetched anew, once', async (t) => {
  let [tokens, good] = [0, 't2']
  const { url, requests } = await serve(t, (request, response) => {
    if (request.url === '/token') sendJson(response, { access_token: `t${++tokens}` })
    else if (request.headers.authorization === `Bearer ${good}`) sendJson(response, range(0, 1))
    else response.writeHead(401).end()
  })
  const auth = {
    type: 'oauth' as const,
    tokenUrl: `${url}/token`,
    clientId: 'c',
    clientSecret: 's',
  }
  const { source } = open(t, rest(url, { auth }))
  assert.deepEqual(idsOf(await readAll(source)), [0])
  assert.deepEqual(requests, ['/token', '/', '/token', '/'])
  good = 'none'
  await assert.rejects(readAll(source), fails('misconfigured', /refused our credentials \(401\)/))
})

test('text is read in the charset of its content type', async (t) => {
  let [type, body]: [string, Buffer] = ['', Buffer.alloc(0)]
  const { url } = await serve(t, (_, response) =>
    response.writeHead(200, { 'content-type': type }).end(body),
  )
  const { source } = open(t, rest(url))
  const text = '[{"id":"Zoë"}]'
  const cases: [string, Buffer][] = [
    ['application/json', Buffer.from(text)],
    ['application/json; charset="UTF-8"', Buffer.from(`\ufeff${text}`)],
    ['application/json; charset=iso-8859-1', Buffer.from(text, 'latin1')],
    ['text/plain; format=flowed; charset=Windows-1252', Buffer.from(text, 'latin1')],
    ['application/vnd.hr+json; charset=utf-16', Buffer.from(text, 'utf16le')],
    ['application/json; charset=iso-8859-1', Buffer.from(`\ufeff${text}`)],
  ]
  for ([type, body] of cases) assert.deepEqual(idsOf(await readAll(source)), ['Zoë'], type)
  type = 'application/json'
  body = Buffer.from(text, 'latin1')
  await assert.rejects(readAll(source), fails('rejected', /not valid utf-8/))
})
