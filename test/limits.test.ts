import assert from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { insertPastEvents } from '../server/insights/index.ts'
import { sql } from '../server/platform/db/sql.ts'
import { asOwner } from './cluster.ts'
import { signInToConsole } from './console.ts'
import { startApp } from './harness.ts'
import { PASSWORD } from './person.ts'
import { attemptsOf, authnRequest, base64, callsOf, newWorld, query } from './sso/world.ts'

// Every limit that a setting lowers is one that a request meets.

const app = await startApp({
  env: {
    GATEHOUSE_LIST_LIMITS:
      'comparisons=3,depth=2,inValues=2,valueLength=20,wildcards=1,terms=3,searchFields=3,lookups=4,sorts=1,fields=2,regexLength=12,regexRepetitions=3,regexSize=8',
    GATEHOUSE_EVENT_LIMITS:
      'services=2,fields=2,terms=3,depth=2,values=4,units=25,valueLength=20,fieldLength=30,buckets=5,eventLength=200',
    GATEHOUSE_SAML_LIMITS:
      'bytes=2000,elements=6,depth=3,attributes=12,elementAttributes=9,namespaces=3,sections=1,references=2,valueLength=100,values=2,relayState=10',
    GATEHOUSE_METADATA_LIMITS:
      'bytes=2000,elements=6,depth=4,attributes=16,elementAttributes=9,namespaces=3,sections=1,references=2,comments=1',
    GATEHOUSE_FORM_LIMITS: 'bytes=4000,logoBytes=100',
    GATEHOUSE_TENANT_LIMITS: 'forwarders=1,reports=1,largePages=1,streamReads=1',
    GATEHOUSE_CONSOLE_LIMITS: 'confirmedMinutes=2,idleMinutes=30',
  },
})
app.secrets.add(PASSWORD)
const org = await app.newOrganization()
const INSIGHTS = '/insights/directory/v1'

const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))
const names = (count: number) => many(count, (at) => `attributes.f${at}`)
const nested = (depth: number, inner: unknown) =>
  many(depth, () => 0).reduce<unknown>((filter) => ({ and: [filter] }), inner)
const eq = (at: number) => `username:$eq:u${at}`

test('lists and searches of the directory', async () => {
  const search = (terms: number, fields: number) => ({
    searchFilter: { searchTerm: many(terms, String), fields: names(fields) },
  })
  const searches: [wrong: object, reason: string, right: object][] = [
    [{ filter: many(4, eq) }, 'too_many_values', { filter: many(3, eq) }],
    [{ filter: nested(3, eq(1)) }, 'filter_too_deep', { filter: nested(2, eq(1)) }],
    [search(4, 1), 'too_many_values', search(3, 1)],
    [search(1, 4), 'too_many_values', search(1, 3)],
    [search(2, 3), 'too_many_values', search(2, 2)],
    [
      { filter: { username: { $in: ['a', 'b', 'c'] } } },
      'too_many_values',
      { filter: { username: { $in: ['a', 'b'] } } },
    ],
    [
      { filter: `username:$eq:${'a'.repeat(21)}` },
      'value_too_long',
      { filter: `username:$eq:${'a'.repeat(20)}` },
    ],
    [{ sort: names(2) }, 'too_many_values', { sort: names(1) }],
    [{ fields: names(3) }, 'too_many_values', { fields: names(2) }],
    ...(
      [
        ['a'.repeat(13), 'abcdefg'],
        ['a{4}', 'a{3}'],
        ['(abc){3}', '(ab){3}'],
      ] as const
    ).map(([wrong, right]): [object, string, object] => [
      { filter: { username: { $regex: wrong } } },
      'unsafe_regex',
      { filter: { username: { $regex: right } } },
    ]),
  ]
  for (const [wrong, reason, right] of searches) {
    const refused = await org.post('/api/search/systemusers', wrong)
    assert.equal(refused.statusCode, 400, JSON.stringify(wrong))
    assert.equal(refused.json().reason, reason, refused.body)
    const answer = await org.post('/api/search/systemusers', right)
    assert.equal(answer.statusCode, 200, `${JSON.stringify(right)} ${answer.body}`)
  }
  const wild = await org.get('/api/v2/usergroups?filter=name:eq:*a*')
  assert.equal(wild.json().reason, 'too_many_values')
  assert.equal((await org.get('/api/v2/usergroups?filter=name:eq:a*')).statusCode, 200)
})

test('the rule of a group', async () => {
  const filters = many(4, () => ({ field: 'department', operator: 'eq', value: 'x' }))
  const group = { name: 'Rule', memberQuery: { queryType: 'FilterQuery', filters } }
  const refused = await org.post('/api/v2/usergroups', group)
  assert.equal(refused.statusCode, 400)
  assert.match(refused.body, /at most 3 conditions/)
})

test('queries of events', async () => {
  const leaf = (at: number) => ({ [`resource.x${at}`]: 'a' })
  const queries: [wrong: object, reason: string, right?: object][] = [
    [{ service: ['sso', 'sso', 'sso'] }, 'too_many_services', { service: ['sso', 'sso'] }],
    [{ fields: ['id', 'service', 'timestamp'] }, 'too_many_fields', { fields: ['id', 'service'] }],
    ...(
      [
        [{ and: many(4, leaf) }, 'too_many_terms', { and: many(3, leaf) }],
        [{ and: [{ or: [{ and: [leaf(1)] }] }] }, 'too_deep', { and: [{ or: [leaf(1)] }] }],
        [{ and: [{ id: [1, 2, 3, 4, 5] }] }, 'too_many_values', { and: [{ id: [1, 2, 3, 4] }] }],
        [
          {
            and: many(2, (at) => ({ field: `resource.x${at}`, operator: 'contains', value: 'a' })),
          },
          'search_too_costly',
          { and: [{ field: 'resource.x', operator: 'contains', value: 'a' }] },
        ],
        [{ and: [{ id: 'x'.repeat(21) }] }, 'value_too_long', { and: [{ id: 'x'.repeat(20) }] }],
        [{ and: [{ [`resource.${'x'.repeat(22)}`]: 1 }] }, 'bad_field', { and: [leaf(1)] }],
      ] as const
    ).map(([wrong, reason, right]): [object, string, object] => [
      { search_term: wrong },
      reason,
      { search_term: right },
    ]),
  ]
  const all = { service: ['all'], start_time: new Date(Date.now() - 3_600_000).toISOString() }
  for (const [wrong, reason, right] of queries) {
    const refused = await org.post(`${INSIGHTS}/events`, { ...all, ...wrong })
    assert.equal(refused.statusCode, 400, JSON.stringify(wrong))
    assert.equal(refused.json().reason, reason, refused.body)
    const answer = await org.post(`${INSIGHTS}/events`, { ...all, ...right })
    assert.equal(answer.statusCode, 200, `${JSON.stringify(right)} ${answer.body}`)
  }
})

test('an event of a body, and steps of an interval', async () => {
  const told = (seconds: number, name: string) => ({
    service: 'notifications',
    event_type: 'told',
    name,
    timestamp: new Date(Date.now() - seconds * 1000).toISOString(),
  })
  const mine = await app.newOrganization()
  const sent = await mine.post(`${INSIGHTS}/ingest`, [
    told(0, 'a'),
    told(9, 'x'.repeat(200)),
    told(9, 'b'),
  ])
  assert.equal(sent.json().stored, 2, sent.body)
  assert.match(sent.json().errors[0].message, /longer than 200 characters/)
  const steps = await mine.post(`${INSIGHTS}/events/interval`, {
    service: ['notifications'],
    start_time: new Date(Date.now() - 3_600_000).toISOString(),
    interval_unit: 's',
  })
  assert.equal(steps.json().reason, 'too_many_buckets', steps.body)
})

test('SAML messages and forms', async () => {
  const { org: sso, application, person } = await newWorld(app)
  const calls = callsOf(app)
  const visit = (xml: string, relayState?: string) =>
    calls.visit(`${application.url}?${query(xml, relayState)}`, person.cookie)
  assert.equal((await visit(authnRequest())).statusCode, 200)
  const policy = '<samlp:NameIDPolicy/>'
  const context = (count: number) =>
    `<samlp:RequestedAuthnContext>${'<saml:AuthnContextClassRef>x</saml:AuthnContextClassRef>'.repeat(count)}</samlp:RequestedAuthnContext>`
  const wrong: [xml: string, explanation: RegExp][] = [
    [authnRequest({ content: policy.repeat(5) }), /more than 6 elements/],
    [authnRequest({ content: ' '.repeat(2000) }), /at most 2000 bytes/],
    [
      authnRequest({
        content: '<samlp:Scoping><samlp:Scoping><samlp:Scoping/></samlp:Scoping></samlp:Scoping>',
      }),
      /deeper than 3 elements/,
    ],
    [authnRequest({ attributes: 'a="" b="" c="" d="" e=""' }), /more than 9 attributes/],
    [
      authnRequest({ content: '<samlp:NameIDPolicy a="" b="" c="" d="" e="" f="" g="" h=""/>' }),
      /more than 12 attributes/,
    ],
    [authnRequest({ attributes: 'xmlns:a="a" xmlns:b="b"' }), /more than 3 namespace declarations/],
    [authnRequest({ content: '<![CDATA[]]><![CDATA[]]>' }), /more than 1 CDATA/],
    [authnRequest({ content: '&lt;&lt;&lt;' }), /more than 2 references/],
    [
      authnRequest({ content: `<samlp:NameIDPolicy Format="${'x'.repeat(101)}"/>` }),
      /longer than 100/,
    ],
    [authnRequest({ content: context(3) }), /more than 2 times/],
  ]
  for (const [xml, explanation] of wrong) {
    assert.equal((await visit(xml)).statusCode, 400, String(explanation))
    const [attempt] = await attemptsOf(sso, application.id)
    assert.equal(attempt.reason, 'unreadable')
    assert.match(attempt.explanation, explanation)
  }
  assert.equal((await visit(authnRequest(), 'x'.repeat(10))).statusCode, 200)
  assert.equal((await visit(authnRequest(), 'x'.repeat(11))).statusCode, 400)
  const posted = await calls.postTo(application.url, { SAMLRequest: base64('x'.repeat(4000)) })
  assert.equal(posted.statusCode, 413)
})

const MD = 'urn:oasis:names:tc:SAML:2.0:metadata'
const metadata = (content = '', attributes = '') =>
  `<EntityDescriptor xmlns="${MD}" entityID="sp" ${attributes}><SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://sp.example.com"/>${content}</SPSSODescriptor></EntityDescriptor>`

test('metadata of a service provider, and a logo', async () => {
  const { application, org: sso } = await newWorld(app)
  const url = `/api/v2/applications/${application.id}/spmetadata`
  const right = await sso.post(url, { xml: metadata('<!-- one -->') })
  assert.equal(right.statusCode, 200, right.body)
  const wrong: [xml: string, reason: string][] = [
    [metadata('<a/>'.repeat(4)), 'xml_too_many_elements'],
    [metadata(' '.repeat(2000)), 'xml_too_large'],
    [metadata('<a><a><a/></a></a>'), 'xml_too_deep'],
    [metadata('', 'a="" b="" c="" d="" e="" f="" g="" h=""'), 'xml_too_many_attributes'],
    [
      metadata('<a b="" c="" d="" e="" f="" g=""/><a b="" c="" d="" e="" f="" g=""/>'),
      'xml_too_many_attributes',
    ],
    [metadata('', 'xmlns:a="a" xmlns:b="b" xmlns:c="c"'), 'xml_too_many_namespaces'],
    [metadata('<![CDATA[]]><![CDATA[]]>'), 'xml_too_many_sections'],
    [metadata('&lt;&lt;&lt;'), 'xml_too_many_references'],
    [metadata('<!-- --><!-- -->'), 'xml_too_many_comments'],
  ]
  for (const [xml, reason] of wrong) {
    const refused = await sso.post(url, { xml })
    assert.equal(refused.statusCode, 400, reason)
    assert.equal(refused.json().reason, reason, refused.body)
  }
  const body = await sso.post(url, metadata(' '.repeat(4000)), { 'content-type': 'text/xml' })
  assert.equal(body.statusCode, 413)

  const form = new FormData()
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  form.set('image', new Blob([png, Buffer.alloc(100)]), 'logo.png')
  const logo = await fetch(`${await app.listen()}/api/v2/applications/${application.id}/logo`, {
    method: 'POST',
    headers: { 'x-api-key': sso.apiKey },
    body: form,
  })
  assert.equal(logo.status, 413)
})

test('another application of the process has limits of its own', async () => {
  const { application, org: mine } = await newWorld(app)
  const other = (await startApp({ beside: app })).as(mine.apiKey)
  const refused = async (url: string, body: object) => {
    const answers = await Promise.all([mine.post(url, body), other.post(url, body)])
    return answers.map((answer) => (answer.statusCode === 200 ? null : answer.json().reason))
  }
  const search = { filter: many(4, eq) }
  assert.deepEqual(await refused('/api/search/systemusers', search), ['too_many_values', null])
  const count = { service: ['sso', 'sso', 'sso'], start_time: '2020-01-01T00:00:00Z' }
  assert.deepEqual(await refused(`${INSIGHTS}/events/count`, count), ['too_many_services', null])
  // One thread of the process reads the metadata of both.
  const url = `/api/v2/applications/${application.id}/spmetadata`
  const xml = metadata('<a/>'.repeat(4))
  assert.deepEqual(await refused(url, { xml }), ['xml_too_many_elements', null])
})

test('what one organization may have', async () => {
  const mine = await app.newOrganization()
  const forwarder = { name: 'SIEM', url: 'http://127.0.0.1:9/in', service: ['all'] }
  const made = await mine.post(`${INSIGHTS}/forwarders`, forwarder)
  app.secrets.add(made.json().secret)
  assert.equal(made.statusCode, 201, made.body)
  const second = await mine.post(`${INSIGHTS}/forwarders`, forwarder)
  assert.equal(second.json().reason, 'too_many_forwarders')
  const report = () => mine.post('/insights/directory/v1/reports/users-to-user-groups')
  assert.ok((await report()).statusCode < 300)
  assert.equal((await report()).json().reason, 'too_many_reports')
})

test('a password that was given again counts for so many minutes', async () => {
  const mine = await app.newOrganization()
  const session = await signInToConsole(app.http, mine)
  assert.equal((await session.confirm()).statusCode, 200)
  const age = (column: 'confirmed_at' | 'seen_at', minutes: number) =>
    app.db.tx(null, (tx) =>
      tx.execute(
        `update sessions set ${column} = now() - make_interval(mins => $2) where administrator_id = $1`,
        [mine.adminId, minutes],
      ),
    )
  const change = (at: number) =>
    session.put(`/api/users/${mine.adminId}`, { email: `${at}${mine.email}` })
  await age('confirmed_at', 1)
  assert.equal((await change(1)).statusCode, 200)
  assert.equal((await session.confirm()).statusCode, 200)
  await age('confirmed_at', 3)
  const late = await change(2)
  assert.equal(late.statusCode, 403)
  assert.equal(late.json().reason, 'password_confirmation_required')
  await age('seen_at', 31)
  assert.equal((await session.get('/api/users/getSelf')).json().reason, 'session_ended')
})

type Organization = Awaited<ReturnType<typeof app.newOrganization>>

async function largePage(mine: Organization): Promise<IncomingMessage> {
  const url = `${await app.listen()}${INSIGHTS}/events`
  const headers = { 'x-api-key': mine.apiKey, 'content-type': 'application/json' }
  const body = {
    service: ['all'],
    start_time: new Date(Date.now() - 7_200_000).toISOString(),
    limit: 10_000,
  }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, resolve).on('error', reject)
    sent.end(JSON.stringify(body))
  })
}

async function withEvents(): Promise<Organization> {
  const mine = await app.newOrganization()
  const rows = many(3000, (at) => {
    const id = `00000000-0000-7000-8000-${String(at).padStart(12, '0')}`
    const timestamp = new Date(Date.now() - 3_600_000 + at).toISOString()
    const service = 'systems'
    const message = 'x'.repeat(3000)
    return { id, timestamp, service, document: JSON.stringify({ id, timestamp, service, message }) }
  })
  await app.db.tx(mine.organizationId, (tx) => insertPastEvents(tx, mine.organizationId, rows))
  return mine
}

test('a large page that is not read holds up the next one of its organization, and no other', async () => {
  const [mine, other] = [await withEvents(), await withEvents()]
  const first = await largePage(mine)
  let answered = false
  const second = largePage(mine).then((page) => {
    answered = true
    return text(page)
  })
  assert.equal(JSON.parse(await text(await largePage(other))).length, 3000)
  assert.equal(answered, false)
  await text(first)
  assert.equal(JSON.parse(await second).length, 3000)
})

test('streams of one organization read one after the other', async () => {
  const [mine, other] = [await app.newOrganization(), await app.newOrganization()]
  const url = `${await app.listen()}${INSIGHTS}/events/stream`
  const stop = new AbortController()
  const streams = await Promise.all(
    [mine, mine, mine, other].map(({ apiKey }) =>
      fetch(url, { headers: { 'x-api-key': apiKey }, signal: stop.signal }),
    ),
  )
  assert.ok(streams.every(({ status }) => status === 200))
  const waiting = async () =>
    (await app.db.one<{ count: number }>(sql`
      select count(distinct pid) as count from pg_locks l join pg_database d on d.oid = l.database
       where d.datname = current_database() and not l.granted`))!.count
  await asOwner(app.owner, async (client) => {
    await client.query('begin')
    await client.query('lock table events in access exclusive mode')
    while ((await waiting()) < 2) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(await waiting(), 2, 'one of each')
    await client.query('rollback')
  })
  stop.abort()
})

test('the head of a request', async () => {
  const brief = await startApp({ env: { GATEHOUSE_HEAD_SECONDS: '0.1' } })
  const { port } = new URL(await brief.listen())
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
  socket.write('GET /api/v2/users HTTP/1.1\r\nhost: x\r\n')
  const answer = await text(socket)
  socket.destroy()
  assert.match(answer, /^HTTP\/1\.1 408 /)
  assert.equal(JSON.parse(answer.split('\r\n\r\n')[1]!).reason, 'request_timeout')
})
