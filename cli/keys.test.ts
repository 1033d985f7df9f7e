import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { appendRows, listRows, rowSecretContext } from '../server/platform/batches/row-store.ts'
import { insertBatch } from '../server/platform/batches/store.ts'
import { openDb } from '../server/platform/db/index.ts'
import { sql } from '../server/platform/db/sql.ts'
import { newId } from '../server/platform/ids.ts'
import { followKeys } from '../server/platform/key-watch.ts'
import { createLog } from '../server/platform/log.ts'
import { listMails } from '../server/platform/mail.ts'
import { SEALED_COLUMNS } from '../server/platform/sealed-columns.ts'
import { Sealer } from '../server/platform/secrets.ts'
import { installation, runJsonCli } from '../test/cli.ts'

/** An installation with this many mails and an administrator with TOTP, all encrypted under its first key. */
async function withSecrets(mails: number) {
  const place = await installation({ migrated: true })
  const db = openDb(place.service, { max: 3 })
  after(() => db.close())
  const master = randomBytes(32)
  writeFileSync(join(place.dataDir, 'master.key'), master.toString('base64'), { mode: 0o600 })
  const sealer = await Sealer.open(master, db)
  const postMail = async (subject: string) => {
    const id = newId()
    const body = sealer.seal(`text of ${subject}`, `mail ${id}`)
    await db.run(
      sql`insert into mails (id, recipient, subject, body) values (${id}, 'a@example.com', ${subject}, ${body})`,
    )
  }
  for (let at = 0; at < mails; at++) await postMail(`mail ${at}`)
  const [org, admin] = [newId(), newId()]
  await db.run(sql`insert into organizations (id, name) values (${org}, 'One')`)
  const secret = sealer.seal('seed', `administrator ${admin} totp`)
  const pending = sealer.seal('next seed', `administrator ${admin} totp`)
  await db.run(sql`
    insert into administrators (id, organization, email, role_ids, totp_secret, totp_pending_secret)
    values (${admin}, ${org}, 'a@example.com', '{x}', ${secret}, ${pending})`)
  const keyIds = async () =>
    (await db.many<{ id: string }>(sql`select id from data_keys`)).map(({ id }) => id)
  return { ...place, db, master, sealer, postMail, admin, keyIds }
}

test('keys rotate re-encrypts everything and deletes the old data key', async () => {
  const place = await withSecrets(450)
  const [old] = await place.keyIds()

  const { key, resealed, removedKeys } = await runJsonCli(place.env, ['keys', 'rotate'])
  assert.deepEqual([resealed, removedKeys], [452, 1])
  assert.deepEqual(await place.keyIds(), [key])
  assert.notEqual(key, old)

  const fresh = await Sealer.open(place.master, place.db)
  const mails = await listMails(place.db, fresh, 1000)
  assert.equal(mails.length, 450)
  for (const { subject, body } of mails) assert.equal(body, `text of ${subject}`)
  const row = await place.db.one<{ totp_secret: string; totp_pending_secret: string }>(
    sql`select totp_secret, totp_pending_secret from administrators`,
  )
  const context = `administrator ${place.admin} totp`
  assert.equal(await fresh.unseal(row!.totp_secret, context), 'seed')
  assert.equal(await fresh.unseal(row!.totp_pending_secret, context), 'next seed')
})

test('keys rotate re-encrypts the secrets of batch rows, whose key contains a number', async () => {
  const place = await withSecrets(0)
  const key = { organization_id: newId(), id: newId() }
  const rows = Array.from({ length: 250 }, (_, at) => {
    const id = newId()
    return { id, input: { at }, secret: place.sealer.seal(`secret ${at}`, rowSecretContext(id)) }
  })
  await place.db.tx(key.organization_id, async (tx) => {
    await insertBatch(tx, { ...key, kind: 'test', input: {}, started_by: {} })
    await appendRows(tx, key, rows)
  })
  assert.equal((await runJsonCli(place.env, ['keys', 'rotate'])).resealed, 252)
  const fresh = await Sealer.open(place.master, place.db)
  const { results } = await listRows(place.db.tenant(key.organization_id), key, {}, { skip: 245 })
  assert.equal(results.length, 5)
  for (const { id, input, secret } of results)
    assert.equal(await fresh.unseal(secret!, rowSecretContext(id)), `secret ${input.at}`)
})

test('a running process uses the new key before the old one is deleted', async () => {
  const place = await withSecrets(1)
  const stop = await followKeys(place.service, place.sealer, createLog('silent'))
  after(stop)

  const { key } = await place.runJson('keys', 'rotate')
  assert.equal(place.sealer.currentKeyId, key)
  await place.postMail('after')
  const fresh = await Sealer.open(place.master, place.db)
  const bodies = (await listMails(place.db, fresh, 10)).map(({ body }) => body)
  assert.deepEqual(bodies.sort(), ['text of after', 'text of mail 0'])
})

test('a new master key replaces the file and decrypts existing values', async () => {
  const place = await withSecrets(1)
  const [keyId] = await place.keyIds()
  const newKey = randomBytes(32)
  const file = join(place.dataDir, 'next.key')
  const current = join(place.dataDir, 'master.key')
  writeFileSync(file, `${newKey.toString('base64')}\n`)

  await place.runJson('keys', 'rotate', '--master-key-file', file)
  assert.equal(readFileSync(current, 'utf8'), newKey.toString('base64'))
  assert.equal(statSync(current).mode & 0o777, 0o600)
  assert.deepEqual(await place.keyIds(), [keyId])
  await assert.rejects(Sealer.open(place.master, place.db), /master key is not the one/)
  const [mail] = await listMails(place.db, await Sealer.open(newKey, place.db), 1)
  assert.equal(mail?.body, 'text of mail 0')

  // As after a crash between the database and the file.
  writeFileSync(current, place.master.toString('base64'))
  const again = await place.runJson('keys', 'rotate', '--master-key-file', file)
  assert.equal(again.rewrapped, 0)
  assert.equal(readFileSync(current, 'utf8'), newKey.toString('base64'))
})

test('a master key that does not open the database changes nothing', async () => {
  const place = await withSecrets(1)
  const before = await place.keyIds()
  writeFileSync(join(place.dataDir, 'master.key'), randomBytes(32).toString('base64'))
  const { code, stderr } = await place.run('keys', 'rotate')
  assert.equal(code, 1)
  assert.match(stderr, /^gatehouse: The master key is not the one .*\n$/)
  assert.deepEqual(await place.keyIds(), before)
})

test('every sealed column exists', async () => {
  const place = await installation({ migrated: true })
  const db = openDb(place.owner, { max: 1 })
  after(() => db.close())
  for (const { table, column, key } of SEALED_COLUMNS) {
    const rows = await db.many<{ name: string }>(
      sql`select column_name::text as name from information_schema.columns where table_name = ${table}`,
    )
    const names = rows.map(({ name }) => name)
    for (const name of [column, ...key]) assert.ok(names.includes(name), `${table}.${name}`)
  }
})
