import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { beforeEach, test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addPerson, codesOf, PASSWORD, Person } from '../../test/person.ts'
import { sql } from '../platform/db/sql.ts'

const app = await startApp()
/** Another process on the same database. */
const other = await startApp({ beside: app })
const WRONG = 'wrong password'
app.secrets.add(PASSWORD)

beforeEach(async () => {
  await app.db.run(sql`delete from sign_in_failures`)
})

interface Browser {
  ip?: string
  cookies?: string[]
  headers?: Record<string, string>
}
const post = (url: string, payload: object, browser: Browser = {}, http = app.http) =>
  http.inject({
    method: 'POST',
    url,
    payload,
    remoteAddress: browser.ip ?? '127.0.0.1',
    headers: {
      ...(browser.cookies && { cookie: browser.cookies.join('; ') }),
      ...browser.headers,
    },
  })
const signIn = (
  { email, password }: { email: string; password: string },
  browser?: Browser,
  http = app.http,
) => post('/auth/sign-in', { email, password }, browser, http)
type Response = Awaited<ReturnType<typeof signIn>>
const cookiesOf = (res: Response) => res.cookies.map(({ name, value }) => `${name}=${value}`)
const deviceOf = (res: Response) =>
  cookiesOf(res).filter((cookie) => cookie.startsWith('gatehouse_device='))
const statuses = (results: Response[]) => results.map(({ statusCode }) => statusCode)
/** Alternates between the two processes. */
const times = (count: number, work: (http: typeof app.http, at: number) => Promise<Response>) =>
  Promise.all(
    Array.from({ length: count }, (_, at) => work(at % 2 === 0 ? app.http : other.http, at)),
  )

test('ten concurrent sign-ins with the right password succeed, at two processes', async () => {
  const org = await app.newOrganization()
  const results = await times(10, (http) => signIn(org, {}, http))
  assert.deepEqual(statuses(results), Array(10).fill(200))
  assert.deepEqual(new Set(await org.eventTypes()), new Set(['admin_login_attempt']))
})

test('ten wrong passwords at two processes: five are checked, and the last locks the account', async () => {
  const org = await app.newOrganization()
  const guess = (http = app.http) => signIn({ ...org, password: WRONG }, {}, http)
  const results = await times(10, guess)
  // Attempts that found others in flight were refused unchecked, so send the others one by one.
  for (let at = 0; at < 5; at++) results.push(await guess())
  assert.equal(statuses(results).filter((status) => status === 401).length, 5)
  const types = await org.eventTypes()
  assert.equal(types.filter((type) => type === 'admin_login_attempt').length, 5)
  assert.equal(types.filter((type) => type === 'admin_lockout').length, 1)
  const locked = await signIn(org)
  assert.equal(locked.statusCode, 429)
  assert.ok(Number(locked.headers['retry-after']) > 60, 'a block, not a moment')
})

test('the same valid code ten times at once: one signs in, and nothing is locked', async () => {
  const org = await app.newOrganization()
  const entered = await signIn(org)
  const session = (res: Response): Browser => ({
    cookies: cookiesOf(res),
    headers: { 'x-csrf-token': res.json().csrfToken },
  })
  await post('/auth/session/confirm', { password: org.password }, session(entered))
  const { secret } = (await post('/auth/totp', {}, session(entered))).json()
  app.secrets.add(secret)
  const [first, code] = codesOf(secret)
  await post('/auth/totp/confirm', { code: first }, session(entered))
  const half = await times(10, (http) => signIn(org, {}, http))
  assert.ok(half.every((res) => res.json().status === 'totp_required'))
  const results = await times(10, (http, at) =>
    post('/auth/sign-in/totp', { code }, session(half[at]!), http),
  )
  assert.deepEqual(statuses(results).sort(), [200, ...Array(9).fill(401)])
  assert.ok(!(await org.eventTypes()).includes('admin_lockout'))
  assert.equal((await signIn(org)).statusCode, 200)
})

/** Failures for made-up accounts from the IP address, enough to block it. */
const blockAddress = async (prefix: string, ip: string, failures: number) =>
  app.db.run(sql`
    insert into sign_in_failures (subject, failures, first_at, blocked_until)
    values (${`${prefix} ${ip}`}, ${failures}, now(), now() + interval '15 minutes')
    on conflict (subject) do update set failures = excluded.failures, blocked_until = excluded.blocked_until`)

test('a blocked IP address lets known devices through, for their own account', async () => {
  const [org, stranger] = [await app.newOrganization(), await app.newOrganization()]
  const ip = '192.0.2.7'
  const known = await signIn(org, { ip: '192.0.2.8' })
  const strange = await signIn(stranger, { ip: '192.0.2.8' })
  await blockAddress('address', ip, 50)
  assert.equal((await signIn(org, { ip })).statusCode, 429)
  assert.equal((await signIn(org, { ip, cookies: deviceOf(strange) })).statusCode, 429)
  assert.equal((await signIn(stranger, { ip, cookies: deviceOf(known) })).statusCode, 429)
  const cookies = deviceOf(known)
  const cut = cookies.map((cookie) => cookie.slice(0, -3))
  for (const forged of [cut, ['gatehouse_device=x'], ['gatehouse_device=a.b']])
    assert.equal((await signIn(org, { ip, cookies: forged })).statusCode, 429)
  const entered = await signIn(org, { ip, cookies })
  assert.equal(entered.statusCode, 200)
  // A browser shared by two people is known for both.
  const both = deviceOf(await signIn(stranger, { cookies: deviceOf(entered) }))
  assert.equal((await signIn(org, { ip, cookies: both })).statusCode, 200)
  assert.equal((await signIn(stranger, { ip, cookies: both })).statusCode, 200)
  // Failures of a known device still count against the account.
  for (let at = 0; at < 5; at++)
    assert.equal((await signIn({ ...org, password: WRONG }, { ip, cookies })).statusCode, 401)
  assert.equal((await signIn(org, { ip, cookies })).statusCode, 429)
})

test('users with a known device get past a blocked IP address, with password and code', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const person = await new Person(app.http).enter(user.username)
  await blockAddress('user-address', '127.0.0.1', 200)
  assert.equal((await new Person(app.http).signIn(user.username)).statusCode, 429)
  person.cookie = ''
  await person.enter(user.username)
  const { secret } = (await person.post('/totp')).json()
  app.secrets.add(secret)
  const [first, code] = codesOf(secret)
  assert.equal((await person.post('/totp/confirm', { code: first })).statusCode, 200)
  person.cookie = ''
  assert.equal((await person.signIn(user.username)).json().status, 'totp_required')
  assert.equal((await person.post('/sign-in/totp', { code })).json().status, 'signed_in')
})

test('failures from one /64 count together, as do IPv4 and IPv4-mapped IPv6', async () => {
  const limited = await startApp({ env: { GATEHOUSE_ADMIN_ADDRESS_FAILURES: '2' } })
  const org = await limited.newOrganization()
  for (const [one, two, same, elsewhere] of [
    ['2001:db8:7:1::1', '2001:db8:7:1::2', '2001:db8:7:1:ffff::3', '2001:db8:7:2::1'],
    ['::ffff:192.0.2.1', '192.0.2.1', '::ffff:192.0.2.1', '192.0.2.2'],
  ]) {
    for (const ip of [one!, two!]) {
      const nobody = { email: `${ip}@example.com`, password: WRONG }
      assert.equal((await signIn(nobody, { ip }, limited.http)).statusCode, 401)
    }
    assert.equal((await signIn(org, { ip: same! }, limited.http)).statusCode, 429, same)
    assert.equal((await signIn(org, { ip: elsewhere! }, limited.http)).statusCode, 200, elsewhere)
  }
})

test('requests from pages of other sites are refused, with a password or a link', async () => {
  const org = await app.newOrganization()
  const bodies = {
    '/auth/sign-in': { email: org.email, password: org.password },
    '/auth/password/forgot': { email: org.email },
    '/auth/password/reset': { token: 'x', password: WRONG },
    '/auth/users/password': { organization: org.organizationId, token: 'x', password: WRONG },
  }
  for (const [url, body] of Object.entries(bodies))
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const res = await post(url, body, { headers: headers as Record<string, string> })
      assert.equal(res.statusCode, 403, `${url} ${JSON.stringify(headers)}`)
      assert.equal(res.json().reason, 'foreign_origin')
    }
  const own = { origin: app.config.publicUrl, 'sec-fetch-site': 'same-origin' }
  assert.equal((await signIn(org, { headers: own })).statusCode, 200)
})

test('every attempt verifies one password, whether or not the account exists', async () => {
  const org = await app.newOrganization()
  const suspended = await app.addAdministrator(org.organizationId)
  const invited = await app.addAdministrator(org.organizationId)
  await app.db.tx(null, async (tx) => {
    await tx.execute('update administrators set suspended = true where id = $1', [suspended.id])
    await tx.execute('update administrators set password_hash = null where id = $1', [invited.id])
  })
  const user = await addPerson(org)
  const idle = await addPerson(org, { state: 'SUSPENDED' })
  let count = 0
  const hear = () => {
    count++
  }
  subscribe('gatehouse.password.verify', hear)
  try {
    const nobody = { email: 'nobody@example.com', password: WRONG }
    const attempts = [
      () => signIn(org),
      () => signIn({ ...org, password: WRONG }),
      () => signIn(suspended),
      () => signIn({ ...suspended, password: WRONG }),
      () => signIn(invited),
      () => signIn(nobody),
      () => new Person(app.http).signIn(user.username),
      () => new Person(app.http).signIn(user.username, WRONG),
      () => new Person(app.http).signIn(idle.username),
      () => new Person(app.http).signIn('nobody at all'),
    ]
    for (const [at, attempt] of attempts.entries()) {
      count = 0
      await attempt()
      assert.equal(count, 1, String(at))
    }
    // A job looks up the account after the response.
    count = 0
    const asked = [org.email, suspended.email, 'nobody@example.com']
    for (const email of asked) {
      const res = await post('/auth/password/forgot', { email })
      assert.deepEqual(res.json(), { status: 'mailed_if_known' })
    }
    assert.equal(count, 0)
  } finally {
    unsubscribe('gatehouse.password.verify', hear)
  }
})
