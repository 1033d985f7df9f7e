import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempDirectory } from '../../test/database.ts'
import { authorization, enrol, newKeyPair, run, signedCaller } from '../../test/enrol.ts'
import { startApp } from '../../test/harness.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'

const app = await startApp()
const address = await app.listen()
const [own, other] = [newKeyPair(), newKeyPair()]

async function newSystem(pair = own, facts: object = {}) {
  const org = await app.newOrganization()
  const id = await enrol(app.http, org, pair.publicKey, facts)
  await app.db.tx(org.organizationId, async (tx) => tx.execute('delete from events'))
  return { org, id, call: signedCaller(app.http, id, pair.privateKey), url: `/api/systems/${id}` }
}

/** The agent's directory on a device. */
function deviceOf(id: string, privateKey = own.privateKey): string {
  const directory = tempDirectory()
  writeFileSync(join(directory, 'agent.conf'), `{"server":"${address}","systemKey":"${id}"}\n`)
  writeFileSync(join(directory, 'client.key'), privateKey, { mode: 0o600 })
  return directory
}

test('the shell script of the specification works with curl and openssl', async () => {
  const { id, org } = await newSystem()
  const script = (method: string, options = '') => `
    # Parse the systemKey from the conf file.
    conf="$(cat agent.conf)"
    regex='"systemKey":"(\\w+)"'
    if [[ $conf =~ $regex ]]; then
      systemKey="\${BASH_REMATCH[1]}"
    fi
    # Get the current time.
    now=$(date -u "+%a, %d %h %Y %H:%M:%S GMT")
    # create the string to sign from the request-line and the date
    signstr="${method} /api/systems/\${systemKey} HTTP/1.1\\ndate: \${now}"
    # create the signature
    signature=$(printf "$signstr" | openssl dgst -sha256 -sign client.key | openssl enc -e -a | tr -d '\\n')
    curl -s -X ${method} \\
      -H "Accept: application/json" \\
      -H "Content-Type: application/json" \\
      -H "Date: \${now}" \\
      -H "Authorization: Signature keyId=\\"system/\${systemKey}\\",headers=\\"request-line date\\",algorithm=\\"rsa-sha256\\",signature=\\"\${signature}\\"" \\
      ${options} --url ${address}/api/systems/\${systemKey}`
  const cwd = deviceOf(id)
  const fetched = await run('bash', ['-c', script('GET')], { cwd })
  assert.equal(JSON.parse(fetched.stdout)._id, id, fetched.stdout)
  const changed = await run('bash', ['-c', script('PUT', `-d '{"displayName":"new name"}'`)], {
    cwd,
  })
  assert.equal(JSON.parse(changed.stdout).displayName, 'new name', changed.stdout)
  const [event] = await org.events()
  assert.equal(event?.event_type, 'system_update')
  assert.deepEqual(event?.initiated_by, { type: 'system', id, name: 'web-1' })
  const deleted = await run('bash', ['-c', script('DELETE')], { cwd })
  assert.equal(JSON.parse(deleted.stdout)._id, id, deleted.stdout)
  const again = await run('bash', ['-c', script('GET')], { cwd })
  assert.equal(JSON.parse(again.stdout).status, 401)
  assert.equal((await org.get(`/api/systems/${id}`)).statusCode, 404)
})

test('the request line is verified as sent, with its query, case and escapes', async () => {
  const { id, call, url } = await newSystem()
  for (const target of [
    `${url}?fields=hostname`,
    `${url}?fields=hostname%20os&filter=a:$eq:b`,
    `/API/Systems/${id}`,
    `${url}/`,
  ])
    assert.equal((await call('GET', target)).statusCode, 200, target)
  const date = new Date().toUTCString()
  const headers = { date, authorization: authorization(id, own.privateKey, 'GET', url, date) }
  for (const [method, target] of [
    ['GET', `${url}?fields=hostname`],
    ['GET', `/api/Systems/${id}`],
    ['GET', `${url}/`],
    ['HEAD', url],
    ['DELETE', url],
  ] as const)
    assert.equal((await app.http.inject({ method, url: target, headers })).statusCode, 401, target)
  assert.equal((await app.http.inject({ url, headers })).statusCode, 200)
})

test('the date must be the signed date and at most five minutes away', async () => {
  const { id, call, url } = await newSystem()
  const minutes = (count: number) => Date.now() + count * 60_000
  assert.equal((await call('GET', url, undefined, minutes(-4.9))).statusCode, 200)
  assert.equal((await call('GET', url, undefined, minutes(4.9))).statusCode, 200)
  for (const away of [-5.2, 5.2, -1440]) {
    const res = await call('GET', url, undefined, minutes(away))
    assert.equal(res.statusCode, 401)
    assert.equal(res.json().reason, 'signature_date')
  }
  const signedAt = new Date(minutes(-1)).toUTCString()
  const header = authorization(id, own.privateKey, 'GET', url, signedAt)
  for (const date of [new Date().toUTCString(), '', undefined]) {
    const headers = { authorization: header, ...(date !== undefined && { date }) }
    assert.equal((await app.http.inject({ url, headers })).statusCode, 401)
  }
})

test('a duplicate header is refused, no matter which copy is valid', async () => {
  const { id, url } = await newSystem()
  const date = new Date().toUTCString()
  const good = authorization(id, own.privateKey, 'GET', url, date)
  const curl = async (...headers: string[]) => {
    const args = headers.flatMap((header) => ['-H', header])
    const { stdout } = await run('curl', [
      '-s',
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      ...args,
      `${address}${url}`,
    ])
    return stdout
  }
  assert.equal(await curl(`Date: ${date}`, `Authorization: ${good}`), '200')
  assert.equal(
    await curl(`Date: ${date}`, `Authorization: ${good}`, `Authorization: ${good}`),
    '401',
  )
  assert.equal(await curl(`Date: ${date}`, `Date: ${date}`, `Authorization: ${good}`), '401')
})

test('only the system key can sign, and an unknown system gets the same answer', async () => {
  const { id, url } = await newSystem()
  const theirs = await newSystem(other)
  const unknown = newId()
  const bodies = []
  for (const [system, key] of [
    [id, other.privateKey],
    [theirs.id, own.privateKey],
    [unknown, own.privateKey],
  ] as const) {
    const res = await signedCaller(app.http, system, key)('GET', `/api/systems/${system}`)
    assert.deepEqual([res.statusCode, res.json().reason], [401, 'signature_invalid'])
    bodies.push(res.body)
  }
  assert.equal(new Set(bodies).size, 1)
  const date = new Date().toUTCString()
  const header = authorization(id, own.privateKey, 'GET', url, date)
  for (const broken of [
    header.replace('rsa-sha256', 'hmac-sha256'),
    header.replace('request-line date', 'date'),
    header.replace(',algorithm="rsa-sha256"', ''),
    `${header},keyId="system/${theirs.id}"`,
    header.replace(
      /signature="./,
      (part) => `${part.slice(0, -1)}${part.endsWith('A') ? 'B' : 'A'}`,
    ),
  ]) {
    const res = await app.http.inject({ url, headers: { date, authorization: broken } })
    assert.equal(res.statusCode, 401, broken)
    assert.ok(res.json().message)
  }
})

test('a request about another system is refused, in any organization', async () => {
  const { org, call } = await newSystem()
  const neighbour = await enrol(app.http, org, other.publicKey, { hostname: 'web-2' })
  const stranger = await newSystem(other)
  for (const id of [neighbour, stranger.id, newId()]) {
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { displayName: 'taken over' }],
      ['DELETE', undefined],
    ] as const) {
      const res = await call(method, `/api/systems/${id}`, body)
      assert.equal(res.statusCode, 401, method)
      assert.match(res.json().message, /itself/)
      assert.equal(res.json().reason, 'another_system')
    }
  }
  assert.equal((await org.get(`/api/systems/${neighbour}`)).json().displayName, 'web-2')
})

test('every other endpoint returns 401', async () => {
  const { org, call, url } = await newSystem()
  for (const [method, target, body] of [
    ['GET', '/api/systems', undefined],
    ['POST', '/api/search/systems', {}],
    ['GET', '/api/users', undefined],
    ['GET', '/api/organizations', undefined],
    ['GET', `/api/organizations/${org.organizationId}`, undefined],
    ['GET', '/api/v2/roles', undefined],
    ['GET', '/api/v2/connect-key', undefined],
    ['POST', `${url}/restore`, {}],
    ['GET', `${url}/sshkeys`, undefined],
    [
      'POST',
      '/insights/directory/v1/events',
      { service: ['all'], start_time: '2026-01-01T00:00:00Z' },
    ],
  ] as const) {
    const res = await call(method, target, body)
    assert.deepEqual(
      [res.statusCode, res.json().reason],
      [401, 'system_context_unsupported'],
      target,
    )
    assert.match(res.json().message, /system-context/, target)
  }
})

test('a system reads and changes its groups and bindings, and only its own', async () => {
  const { org, id, call } = await newSystem()
  const neighbour = await enrol(app.http, org, other.publicKey, { hostname: 'web-2' })
  const group = (await org.post('/api/v2/systemgroups', { name: 'Servers' })).json().id
  const made = await org.post('/api/systemusers', { username: 'ada', email: 'ada@example.com' })
  const user = made.json().id
  const members = `/api/v2/systemgroups/${group}/members`
  const base = `/api/v2/systems/${id}`

  const joined = await call('POST', members, { op: 'add', type: 'system', id })
  assert.equal(joined.statusCode, 204, joined.body)
  const memberof = await call('GET', `${base}/memberof`)
  assert.deepEqual(
    memberof.json().map((found: { id: string }) => found.id),
    [group],
  )
  for (const [at, body] of [
    { op: 'add', type: 'system', id: neighbour },
    { op: 'remove', type: 'system', id: neighbour },
    { op: 'add', type: 'system', id: newId() },
  ].entries()) {
    // A different date each time, since each signature is bound to one body.
    const res = await call('POST', members, body, Date.now() - 10_000 * (at + 1))
    assert.equal(res.statusCode, 403, JSON.stringify(body))
    assert.equal(res.json().reason, 'another_system')
  }

  const bound = await call('POST', `${base}/associations?targets=user`, {
    op: 'add',
    type: 'user',
    id: user,
    attributes: { sudo: { enabled: true, withoutPassword: false } },
  })
  assert.equal(bound.statusCode, 204, bound.body)
  const direct = await call('GET', `${base}/associations?targets=user`)
  assert.equal(direct.json()[0].to.id, user)
  const users = await call('GET', `${base}/users`)
  assert.equal(users.json()[0].id, user)

  for (const target of [
    `/api/v2/systems/${neighbour}/memberof`,
    `/api/v2/systems/${neighbour}/users`,
    `/api/v2/systems/${neighbour}/associations?targets=user`,
    `${base}/commands`,
    `${base}/usergroups`,
    `/api/v2/systemgroups/${group}`,
    `/api/v2/systemgroups/${group}/associations?targets=command`,
    `/api/v2/systemgroups/${group}/members`,
  ])
    assert.equal((await call('GET', target)).statusCode, 401, target)
  const left = await call('POST', `${members}?x=1`, { op: 'remove', type: 'system', id })
  assert.equal(left.statusCode, 204)
})

test('only Linux systems enrolled by an administrator are eligible; others get the reason', async () => {
  const { org, id, call, url } = await newSystem()
  const cases: [string, RegExp, string][] = [
    [`update systems set os_family = 'windows'`, /Linux/, 'system_not_linux'],
    [`update systems set os_family = 'darwin'`, /Linux/, 'system_not_linux'],
    [
      `update systems set os_family = 'linux', provisioner_type = 'mdm'`,
      /automatic device enrollment/,
      'system_not_eligible',
    ],
    [
      `update systems set provisioner_type = 'administrator', details = '{"mdm":{"dep":true}}'`,
      /automatic device enrollment/,
      'system_not_eligible',
    ],
    [
      `update systems set details = '{"mdm":{"enrollmentType":"automated device"}}'`,
      /automatic device enrollment/,
      'system_not_eligible',
    ],
    [
      `update systems set details = '{}', provisioner_type = 'user'`,
      /user portal/,
      'system_not_eligible',
    ],
  ]
  for (const [change, message, reason] of cases) {
    await app.db.tx(org.organizationId, (tx) => tx.execute(`${change} where id = $1`, [id]))
    const res = await call('GET', url)
    assert.equal(res.statusCode, 401, change)
    assert.match(res.json().message, message)
    assert.equal(res.json().reason, reason)
  }
  await app.db.tx(org.organizationId, (tx) =>
    tx.run(sql`update systems set provisioner_type = 'administrator' where id = ${id}`),
  )
  assert.equal((await call('GET', url)).statusCode, 200)
})

test('a signature is bound to one body; an identical repeat is served', async () => {
  const { org, id, url } = await newSystem()
  const date = new Date().toUTCString()
  const headers = {
    date,
    authorization: authorization(id, own.privateKey, 'PUT', url, date),
    'content-type': 'application/json',
  }
  const put = (payload: string) => app.http.inject({ method: 'PUT', url, headers, payload })
  assert.equal((await put('{"displayName":"first"}')).statusCode, 200)
  assert.equal((await put('{"displayName":"first"}')).statusCode, 200)
  for (const payload of ['{"displayName":"second"}', '{"displayName": "first"}', '{}']) {
    const res = await put(payload)
    assert.equal(res.statusCode, 401)
    assert.equal(res.json().reason, 'signature_reused')
  }
  assert.equal((await org.get(url)).json().displayName, 'first')
  assert.equal((await org.eventTypes()).length, 1)

  // Of concurrent bodies exactly one wins, and that one is stored.
  const later = new Date(Date.now() + 60_000).toUTCString()
  const racing = {
    ...headers,
    date: later,
    authorization: authorization(id, own.privateKey, 'PUT', url, later),
  }
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) =>
      app.http.inject({ method: 'PUT', url, headers: racing, payload: { displayName: name } }),
    ),
  )
  const served = answers.filter((res) => res.statusCode === 200)
  assert.equal(served.length, 1)
  assert.equal((await org.get(url)).json().displayName, served[0]!.json().displayName)
})

test('a system cannot change members that an administrator cannot change', async () => {
  const { call, url } = await newSystem()
  const res = await call('PUT', url, {
    displayName: 'x',
    osFamily: 'windows',
    organization: newId(),
  })
  assert.equal(res.statusCode, 200)
  assert.equal(res.json().osFamily, 'linux')
  assert.equal((await call('PUT', url, { displayName: 7 })).statusCode, 400)
})

test('a signed request marks the system as active', async () => {
  const { org, id, call, url } = await newSystem()
  await app.db.tx(org.organizationId, (tx) =>
    tx.run(sql`update systems set last_contact = now() - interval '1 hour' where id = ${id}`),
  )
  assert.equal((await org.get(url)).json().active, false)
  assert.equal((await call('GET', url)).json().active, true)
  assert.equal((await org.get(url)).json().active, true)
})

test('an administrator key takes precedence over a signature, and never opens the agent routes', async () => {
  const { org } = await newSystem()
  for (const target of ['/agent/v1/report', '/agent/v1/events'])
    assert.equal((await org.post(target, { event_type: 'x' })).statusCode, 403, target)
  assert.equal((await app.anonymous.post('/agent/v1/report', {})).statusCode, 401)
})
