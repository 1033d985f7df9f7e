import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempDirectory } from '../../test/database.ts'
import { enrol, FACTS, newKeyPair, run, signedCaller } from '../../test/enrol.ts'
import { startApp } from '../../test/harness.ts'

const app = await startApp()
const address = await app.listen()
const pair = newKeyPair()

const register = (connectKey: string, body: object) =>
  app.http.inject({
    method: 'POST',
    url: '/agent/v1/register',
    headers: { 'x-connect-key': connectKey },
    payload: body,
  })

async function keyOf(org: {
  get: (url: string) => Promise<{ json: () => { connectKey: string } }>
}) {
  const { connectKey } = (await org.get('/api/v2/connect-key')).json()
  app.secrets.add(connectKey)
  return connectKey
}

test('an organization has one connect key; after rotation the old one fails immediately', async () => {
  const org = await app.newOrganization()
  const [first, again] = await Promise.all([keyOf(org), keyOf(org)])
  assert.match(first, /^[0-9a-f]{40}$/)
  assert.equal(again, first)
  const rotated = (await org.post('/api/v2/connect-key/rotate')).json().connectKey
  app.secrets.add(rotated)
  assert.notEqual(rotated, first)
  assert.equal(await keyOf(org), rotated)
  assert.deepEqual(await org.eventTypes(), ['connectkey_rotate'])
  assert.ok(!JSON.stringify(await org.events()).includes(rotated))
  const body = { ...FACTS, publicKey: pair.publicKey }
  assert.equal((await register(first, body)).statusCode, 401)
  assert.equal((await register(rotated, body)).statusCode, 201)
  const other = await app.newOrganization()
  assert.notEqual(await keyOf(other), rotated)
  assert.equal((await other.get('/api/systems')).json().totalCount, 0)
})

test('without a valid connect key neither the script nor registration is available', async () => {
  const org = await app.newOrganization()
  await keyOf(org)
  for (const key of ['', 'f'.repeat(40), "'; drop table systems"]) {
    assert.equal((await app.anonymous.get('/Kickstart', { 'x-connect-key': key })).statusCode, 401)
    const res = await register(key, { ...FACTS, publicKey: pair.publicKey })
    assert.deepEqual([res.statusCode, res.json().reason], [401, 'connect_key_invalid'])
  }
  assert.equal((await org.get('/api/systems')).json().totalCount, 0)
})

test('a registration with a weak or broken key, or without facts, is 400 and names the member', async () => {
  const org = await app.newOrganization()
  const key = await keyOf(org)
  const encoding = {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  } as const
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024, ...encoding }).publicKey
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256', ...encoding }).publicKey
  for (const [body, message, reason] of [
    [{ ...FACTS, publicKey: weak }, /publicKey/, 'bad_public_key'],
    [{ ...FACTS, publicKey: curve }, /publicKey/, 'bad_public_key'],
    [{ ...FACTS, publicKey: 'nonsense' }, /publicKey/, 'bad_public_key'],
    [{ ...FACTS, publicKey: pair.privateKey.slice(0, 200) }, /publicKey/, 'bad_public_key'],
    [FACTS, /publicKey/, 'validation'],
    [{ publicKey: pair.publicKey }, /hostname/, 'validation'],
  ] as const) {
    const res = await register(key, body)
    assert.equal(res.statusCode, 400, JSON.stringify(body))
    assert.match(res.json().message, message)
    assert.equal(res.json().reason, reason)
  }
  assert.equal((await org.get('/api/systems')).json().totalCount, 0)
  assert.deepEqual(await org.events(), [])
})

test('changed facts update the record with an event; unchanged facts leave none', async () => {
  const org = await app.newOrganization()
  const id = await enrol(app.http, org, pair.publicKey)
  const call = signedCaller(app.http, id, pair.privateKey)
  const facts = {
    ...FACTS,
    version: '13',
    networkInterfaces: [{ name: 'eth0', family: 'IPv4', address: '10.0.0.7', internal: false }],
    sshKeys: [{ name: 'ssh_host_ed25519_key.pub', publicKey: 'ssh-ed25519 AAAA root@web-1' }],
  }
  assert.equal((await call('POST', '/agent/v1/report?n=1', facts)).statusCode, 204)
  assert.equal((await call('POST', '/agent/v1/report?n=2', facts)).statusCode, 204)
  const system = (await org.get(`/api/systems/${id}`)).json()
  assert.equal(system.version, '13')
  assert.deepEqual(system.networkInterfaces, facts.networkInterfaces)
  const keys = (await org.get(`/api/systems/${id}/sshkeys`)).json()
  assert.deepEqual(
    keys.map(({ name, public_key }: Record<string, string>) => [name, public_key]),
    [['ssh_host_ed25519_key.pub', 'ssh-ed25519 AAAA root@web-1']],
  )
  assert.deepEqual(await org.eventTypes(), ['system_create', 'system_update'])
  assert.equal((await call('POST', '/agent/v1/report?n=3', { hostname: '' })).statusCode, 400)
})

test('agent events belong to the service systems, no matter what the body claims', async () => {
  const org = await app.newOrganization()
  const id = await enrol(app.http, org, pair.publicKey)
  const call = signedCaller(app.http, id, pair.privateKey)
  const res = await call('POST', '/agent/v1/events', [
    { event_type: 'user_login', username: 'Ada', src_ip: '192.0.2.7', process_name: 'sshd' },
    {
      event_type: 'user_login',
      success: false,
      system: { id: 'another' },
      organization: 'another',
    },
  ])
  assert.equal(res.statusCode, 204)
  const found = await org.post('/insights/directory/v1/events', {
    service: ['systems'],
    start_time: new Date(Date.now() - 3_600_000).toISOString(),
    sort: 'ASC',
  })
  const [first, second] = found.json()
  assert.deepEqual(first.system, { id, hostname: 'web-1', displayName: 'web-1' })
  assert.equal(first.username, 'ada')
  assert.equal(first.organization, org.organizationId)
  assert.equal(first.success, true)
  assert.equal(second.success, false)
  assert.equal(second.system.id, id)
  assert.equal(
    (await call('POST', '/agent/v1/events?n=2', { event_type: 'Not OK' })).statusCode,
    400,
  )
})

async function install(connectKey: string, env: Record<string, string> = {}) {
  const root = tempDirectory()
  const script = join(root, 'kickstart.sh')
  const fetched = await run('curl', [
    '-sf',
    '-H',
    `x-connect-key: ${connectKey}`,
    '-o',
    script,
    `${address}/Kickstart`,
  ])
  assert.equal(fetched.code, 0)
  const again = () =>
    run('sh', [script], { env: { GATEHOUSE_ROOT: root, GATEHOUSE_URL: address, ...env } })
  return { directory: join(root, 'opt/gatehouse'), root, installed: await again(), again }
}

test('the installer enrols a machine with only sh, curl and openssl', async () => {
  const org = await app.newOrganization()
  const { directory, root, installed, again } = await install(await keyOf(org))
  assert.equal(installed.code, 0, installed.stderr)
  const conf = readFileSync(join(directory, 'agent.conf'), 'utf8')
  const [, id] = /"systemKey":"(\w+)"/.exec(conf) ?? []
  assert.equal(JSON.parse(conf).systemKey, id)
  for (const file of ['client.key', 'agent.conf'])
    assert.equal(statSync(join(directory, file)).mode & 0o777, 0o600, file)
  assert.ok(existsSync(join(root, 'etc/systemd/system/gatehouse-agent.timer')))
  assert.ok(!existsSync(join(directory, 'registration')))

  const system = (await org.get(`/api/systems/${id}`)).json()
  const { stdout: hostname } = await run('uname', ['-n'])
  assert.equal(system.hostname, hostname.trim())
  assert.equal(system.osFamily, 'linux')
  assert.deepEqual(await org.eventTypes(), ['system_create'])

  // Running it again keeps the same system.
  const repeated = await again()
  assert.equal(repeated.code, 0, repeated.stderr)
  assert.equal((await org.get('/api/systems')).json().totalCount, 1)

  const ran = await run('sh', [join(directory, 'agent.sh'), 'run'])
  assert.equal(ran.code, 0, ran.stderr)
  assert.equal(ran.stderr, '')
  const event = await run(
    'sh',
    [join(directory, 'agent.sh'), 'event', 'user_login', 'said "hello"\\'],
    {
      env: { PAM_USER: 'ada', PAM_SERVICE: 'sshd', PAM_RHOST: '192.0.2.9' },
    },
  )
  assert.equal(event.code, 0, event.stderr)
  const told = (await org.events()).find(({ service }) => service === 'systems')
  assert.equal(told?.username, 'ada')
  assert.equal(told?.message, 'said "hello"\\')
  assert.deepEqual((told!.system as { id: string }).id, id)
})

test('a refused registration leaves the machine unenrolled and says why', async () => {
  const org = await app.newOrganization()
  const key = await keyOf(org)
  const root = tempDirectory()
  const script = join(root, 'kickstart.sh')
  const { body } = await app.anonymous.get('/Kickstart', { 'x-connect-key': key })
  writeFileSync(script, body)
  await org.post('/api/v2/connect-key/rotate')
  const refused = await run('sh', [script], {
    env: { GATEHOUSE_ROOT: root, GATEHOUSE_URL: address },
  })
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /refused \(401\)/)
  assert.doesNotMatch(readFileSync(join(root, 'opt/gatehouse/agent.conf'), 'utf8'), /systemKey/)
  assert.equal((await run('sh', [join(root, 'opt/gatehouse/agent.sh'), 'run'])).code, 1)
})
