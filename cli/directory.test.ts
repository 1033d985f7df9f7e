import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { hashKey } from '../server/admins/api-key.ts'
import { checkPassword } from '../server/admins/passwords.ts'
import { latestEvents } from '../server/insights/index.ts'
import { type Db, openDb } from '../server/platform/db/index.ts'
import { sql } from '../server/platform/db/sql.ts'
import { newId } from '../server/platform/ids.ts'
import { readMasterKey, Sealer } from '../server/platform/secrets.ts'
import { installation, runCli, runJsonCli } from '../test/cli.ts'

interface Administrator {
  id: string
  organization: string | null
  provider: string | null
  password_hash: string
  suspended: boolean
}

async function place() {
  const made = await installation({ migrated: true })
  const db = openDb(made.service, { max: 2 })
  after(() => db.close())
  return { ...made, db }
}

const administrator = (db: Db, email: string) =>
  db.one<Administrator>(sql`select * from administrators where email = ${email}`)
const keyHash = (db: Db, id: string) =>
  db.one<{ hash: Buffer }>(sql`select hash from credentials where administrator_id = ${id}`)
const eventTypes = async (db: Db, tenant: string) =>
  (await latestEvents(db.tenant(tenant), tenant, 100))
    .reverse()
    .map(({ document }) => JSON.parse(document).event_type)
const addSession = (db: Db, id: string) =>
  db.run(sql`
    insert into sessions (hash, administrator_id, csrf_hash, expires_at)
    values (${Buffer.from(newId())}, ${id}, 'x', now() + interval '1 hour')`)
const sessions = (db: Db) => db.many(sql`select from sessions`)

test('a standalone organization gets an administrator who can sign in and call', async () => {
  const { db, env, run, runJson } = await place()
  const org = await runJson('org', 'create', '--name', 'Fort & Söhne')
  assert.equal(org.provider, null)
  const args = ['--email', 'ada@example.com', '--role', 'read only', '--org', org.id]
  const made = await runJsonCli(env, ['admin', 'create', ...args])

  const row = (await administrator(db, 'ada@example.com'))!
  assert.equal(row.organization, org.id)
  // OWASP's parameters: the real process hashes at full cost (test/cheap-crypto.ts).
  assert.match(row.password_hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.equal(await checkPassword(row.password_hash, made.password), true)
  assert.deepEqual((await keyHash(db, row.id))?.hash, hashKey(made.apiKey))
  assert.deepEqual(await eventTypes(db, org.id), ['organization_create', 'admin_create'])

  const [listed] = await runJson('admin', 'list')
  assert.equal(listed.email, 'ada@example.com')
  assert.deepEqual(listed.roles, ['Read Only'])
  assert.equal(listed.organization, org.id)
  const text = await run('admin', 'list')
  assert.match(text.stdout, /^ada@example\.com +Read Only +organization /m)
  assert.ok(!text.stdout.includes(made.apiKey))
  assert.match((await run('org', 'list')).stdout, /Fort & Söhne/)

  const again = await run('admin', 'create', ...args)
  assert.equal(again.code, 1)
  assert.equal(again.stderr, 'gatehouse: An administrator ada@example.com already exists\n')
})

test('an organization of a provider is linked to its administrators with billing', async () => {
  const { db, env, run, runJson } = await place()
  const provider = newId()
  await db.run(sql`insert into providers (id, name) values (${provider}, 'Managed')`)
  const first = await runJson('org', 'create', '--name', 'First', '--provider', provider)
  const role = ['--role', 'Administrator with Billing']
  const create = ['admin', 'create', '--email', 'boss@example.com', '--provider', provider]
  const boss = await runJson(...create, ...role)
  const second = await runJson('org', 'create', '--name', 'Second', '--provider', provider)

  const links = await db.many<{ organization: string }>(
    sql`select organization from administrator_organizations where administrator_id = ${boss.id}`,
  )
  assert.deepEqual(links.map((link) => link.organization).sort(), [first.id, second.id].sort())
  assert.deepEqual(await eventTypes(db, provider), [
    'organization_create',
    'admin_create',
    'organization_create',
  ])
  const listed = await runJsonCli(env, ['org', 'list'])
  assert.deepEqual(
    listed.map((org: { providerName: string }) => org.providerName),
    ['Managed', 'Managed'],
  )
  const missing = await run('org', 'create', '--name', 'Third', '--provider', newId())
  assert.deepEqual([missing.code, missing.stderr], [1, 'gatehouse: provider not found\n'])
})

test('reset-key and reset-password replace the old ones and end sessions', async () => {
  const { db, run, runJson } = await place()
  const org = await runJson('org', 'create', '--name', 'One')
  const made = await runJson('admin', 'create', '--email', 'ada@example.com', '--org', org.id)

  const { apiKey } = await runJson('admin', 'reset-key', 'ADA@example.com')
  assert.notEqual(apiKey, made.apiKey)
  assert.deepEqual((await keyHash(db, made.id))?.hash, hashKey(apiKey))

  await addSession(db, made.id)
  const { password } = await runJson('admin', 'reset-password', 'ada@example.com')
  const row = (await administrator(db, 'ada@example.com'))!
  assert.equal(await checkPassword(row.password_hash, password), true)
  assert.equal(await checkPassword(row.password_hash, made.password), false)
  assert.deepEqual(await sessions(db), [])
  assert.deepEqual(await eventTypes(db, org.id), [
    'organization_create',
    'admin_create',
    'admin_update',
    'admin_password_change',
  ])
  const nobody = await run('admin', 'reset-key', 'nobody@example.com')
  assert.equal(nobody.code, 1)
  assert.equal(nobody.stderr, 'gatehouse: There is no administrator nobody@example.com\n')
})

test('reset-totp removes the second factor and ends sessions', async () => {
  const { db, runJson } = await place()
  const org = await runJson('org', 'create', '--name', 'One')
  const made = await runJson('admin', 'create', '--email', 'ada@example.com', '--org', org.id)
  await addSession(db, made.id)
  await db.run(sql`update administrators set totp_secret = 'x' where id = ${made.id}`)
  const reset = () => runJson('admin', 'reset-totp', 'ada@example.com')
  assert.deepEqual([(await reset()).changed, (await reset()).changed], [true, false])
  const [row] = await runJson('admin', 'list')
  assert.equal(row.totp, false)
  assert.deepEqual(await sessions(db), [])
  assert.equal((await eventTypes(db, org.id)).at(-1), 'admin_totp_disable')
})

test('suspend ends sessions, unsuspend lets back in, repeats leave no event', async () => {
  const { db, runJson } = await place()
  const org = await runJson('org', 'create', '--name', 'One')
  const made = await runJson('admin', 'create', '--email', 'ada@example.com', '--org', org.id)
  await addSession(db, made.id)

  const changes: boolean[] = []
  for (const verb of ['suspend', 'suspend', 'unsuspend', 'unsuspend']) {
    const { changed } = await runJson('admin', verb, 'ada@example.com')
    changes.push(changed)
    const row = await administrator(db, 'ada@example.com')
    assert.equal(row?.suspended, verb === 'suspend')
  }
  assert.deepEqual(changes, [true, false, true, false])
  assert.deepEqual(await sessions(db), [])
  const types = await eventTypes(db, org.id)
  assert.deepEqual(types.slice(2), ['admin_suspended', 'admin_unsuspend'])
})

test('mail shows the newest mails with their text', async () => {
  const { db, dataDir, env, run } = await place()
  assert.equal((await run('mail')).stdout, 'No mail.\n')
  const sealer = await Sealer.open(readMasterKey(undefined, dataDir), db)
  for (const at of [1, 2, 3]) {
    const id = newId()
    const body = sealer.seal(`link ${at}\n`, `mail ${id}`)
    await db.run(sql`
      insert into mails (id, recipient, subject, body, created)
      values (${id}, 'ada@example.com', 'Hello', ${body}, now() + make_interval(mins => ${at}))`)
  }
  const mails = await runJsonCli(env, ['mail', '--limit', '2'])
  assert.deepEqual(
    mails.map((mail: { body: string }) => mail.body),
    ['link 3\n', 'link 2\n'],
  )
  const { stdout } = await run('mail', '--limit', '1')
  assert.match(stdout, /^Written: .*, queued\nTo: ada@example\.com\nSubject: Hello\n\nlink 3\n$/)
})

test('demo loads its data once and keeps the credentials in a private file', async () => {
  const { dataDir, env, run } = await place()
  const first = await runCli(env, ['demo', '--json'])
  assert.equal(first.code, 0, first.stderr)
  const { loaded, credentials } = JSON.parse(first.stdout)
  assert.deepEqual([loaded, credentials], [true, join(dataDir, 'demo-credentials.json')])
  assert.ok(existsSync(credentials))
  assert.equal(statSync(credentials).mode & 0o777, 0o600)
  const before = readFileSync(credentials, 'utf8')
  const second = await run('demo')
  assert.match(second.stdout, /already there/)
  assert.equal(readFileSync(credentials, 'utf8'), before)
})

test('org delete: the name confirms, --now erases', async () => {
  const { runJson, run, db } = await place()
  const { id } = await runJson('org', 'create', '--name', 'Acme')
  assert.equal((await run('org', 'delete', id)).code, 2)
  const wrong = await run('org', 'delete', id, '--name', 'acme')
  assert.equal(wrong.code, 1)
  assert.match(wrong.stderr, /name: must be the name of the organization/)
  await runJson('org', 'delete', id, '--name', 'Acme')
  const listed = async () =>
    (await runJson('org', 'list')).find((row: { id: string }) => row.id === id)
  assert.notEqual((await listed()).deleted, null)
  const { erasedRows } = await runJson('org', 'delete', id, '--name', 'Acme', '--now')
  assert.ok(erasedRows > 0)
  assert.equal(await listed(), undefined)
  assert.equal(
    await db.one(sql`select 1 as one from events where organization_id = ${id}`),
    undefined,
  )
})
