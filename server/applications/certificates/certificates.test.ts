import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { untilBlocked } from '../../../test/blocked.ts'
import { startApp } from '../../../test/harness.ts'
import { sql } from '../../platform/db/sql.ts'
import { newId } from '../../platform/ids.ts'
import { makeKeyPair } from '../../platform/x509/certificate.ts'
import { promoteCertificateJob, promoteOverdueJob } from '../job-definitions.ts'
import type { ApplicationCertificate } from '../schema.ts'
import { findSsoApplication, noteMetadataFetched } from '../sso.ts'
import { WARNINGS, warningDue, warnOfExpiry } from './expiry.ts'

const app = await startApp()
type Org = Awaited<ReturnType<typeof app.newOrganization>>
const DAY = 86_400_000

async function newApplication(org: Org) {
  const slug = `app-${newId()}`
  const res = await org.post('/api/applications', {
    name: 'saml2',
    displayLabel: 'CRM',
    displayName: 'CRM',
    ssoUrl: slug,
    active: true,
    config: { acsUrl: { value: 'https://crm.example.com/acs' } },
  })
  assert.equal(res.statusCode, 200, res.body)
  const { id } = res.json()
  return { id, slug, url: `/api/v2/applications/${id}/certificates` }
}

type Roles = Partial<Record<ApplicationCertificate['role'], ApplicationCertificate>>
const byRole = (res: {
  statusCode: number
  body: string
  json(): ApplicationCertificate[]
}): Roles => {
  assert.ok(res.statusCode < 300, res.body)
  return Object.fromEntries(res.json().map((certificate) => [certificate.role, certificate]))
}
const ids = ({ current, next, previous }: Roles) => [current?.id, next?.id, previous?.id]

test('the next certificate is published, promoted manually, and rolled back', async () => {
  const org = await app.newOrganization()
  const { id, slug, url } = await newApplication(org)
  const first = byRole(await org.get(url))
  const a = first.current!.id
  assert.deepEqual(ids(first), [a, undefined, undefined])

  const added = await org.post(url)
  assert.equal(added.statusCode, 201)
  const b = byRole(added).next!.id
  assert.deepEqual(ids(byRole(added)), [a, b, undefined])
  assert.equal((await org.post(url)).statusCode, 409)

  // The signing certificate has not changed yet.
  const before = (await findSsoApplication(app, slug))!
  assert.deepEqual([before.certificates.current.id, before.certificates.next?.id], [a, b])
  assert.ok(
    new X509Certificate(before.certificates.next!.pem).checkPrivateKey(
      before.certificates.next!.privateKey,
    ),
  )

  assert.deepEqual(ids(byRole(await org.post(`${url}/promote`))), [b, undefined, a])
  const record = (await org.get(`/api/applications/${id}`)).json()
  const now = (await findSsoApplication(app, slug))!.certificates
  assert.equal(now.current.id, b)
  assert.equal(now.previous?.id, a)
  assert.equal(record.sso.idpCertExpirationAt, now.current.notAfter.toISOString())

  assert.deepEqual(ids(byRole(await org.post(`${url}/return`))), [a, undefined, b])
  // And forth again.
  assert.deepEqual(ids(byRole(await org.post(`${url}/return`))), [b, undefined, a])

  const updates = (await org.events()).filter(
    ({ event_type }) => event_type === 'application_update',
  )
  assert.equal(updates.length, 4)
  assert.deepEqual(
    (updates[1]!.changes as { field: string }[]).map(({ field }) => field),
    ['config.idpCertificate', 'config.idpPrivateKey', 'nextCertificate'],
  )
})

test('the next rotation deletes the previous certificate', async () => {
  const org = await app.newOrganization()
  const { id, url } = await newApplication(org)
  for (let round = 0; round < 2; round++) {
    await org.post(url)
    await org.post(`${url}/promote`)
  }
  const rows = await app.db
    .tenant(org.organizationId)
    .many(sql`select id from application_certificates where application_id = ${id}`)
  assert.equal(rows.length, 2)
})

test('the next certificate can be a custom one', async () => {
  const org = await app.newOrganization()
  const { url } = await newApplication(org)
  const { certificate, privateKey } = await makeKeyPair('own', 'Own', new Date())
  const other = await makeKeyPair('other', 'Other', new Date())
  const refused: [object, RegExp, string][] = [
    [{ certificate }, /^privateKey: is required/, 'key_missing'],
    [{ privateKey }, /^certificate: is required/, 'certificate_missing'],
    [{ certificate, privateKey: other.privateKey }, /^privateKey: does not belong/, 'key_mismatch'],
    [{ certificate: 'x', privateKey }, /^certificate: not an X\.509/, 'bad_certificate'],
  ]
  for (const [body, message, reason] of refused) {
    const res = await org.post(url, body)
    assert.equal(res.statusCode, 400)
    assert.match(res.json().message, message)
    assert.equal(res.json().reason, reason)
  }
  const { next } = byRole(await org.post(url, { certificate, privateKey }))
  assert.equal(next!.certificate, certificate)
  assert.ok(!JSON.stringify(next).includes('PRIVATE'))
})

test('the next certificate can be deleted before it is promoted', async () => {
  const org = await app.newOrganization()
  const { url } = await newApplication(org)
  await org.post(url)
  assert.equal(byRole(await org.delete(`${url}/next`)).next, undefined)
  assert.equal((await org.delete(`${url}/next`)).statusCode, 404)
  assert.equal((await org.post(`${url}/promote`)).statusCode, 404)
  assert.equal((await org.post(`${url}/return`)).statusCode, 404)
})

/** Runs the scheduled jobs now, with their payloads, as the queue would at their time. */
async function comeTo(org: Org, applicationId: string, certificateId: string, at: string) {
  await app.db.tx(org.organizationId, (tx) =>
    app.queue.send(tx, promoteCertificateJob, {
      organizationId: org.organizationId,
      applicationId,
      certificateId,
      at,
    }),
  )
  await app.runDueJobs()
}

test('the next certificate is promoted on its date; a new date replaces the first', async () => {
  const org = await app.newOrganization()
  const { id, url } = await newApplication(org)
  const [soon, later] = [7, 9].map((days) => new Date(Date.now() + days * DAY).toISOString())
  const { current, next } = byRole(await org.post(url, { promoteAt: soon }))
  assert.equal(next!.promoteAt, soon)
  const moved = byRole(await org.post(`${url}/promote`, { at: later }))
  assert.equal(moved.next!.promoteAt, later)

  await comeTo(org, id, next!.id, soon!)
  assert.deepEqual(ids(byRole(await org.get(url))), [current!.id, next!.id, undefined])
  await comeTo(org, id, next!.id, later!)
  assert.deepEqual(ids(byRole(await org.get(url))), [next!.id, undefined, current!.id])
  // Running it twice does nothing more.
  await comeTo(org, id, next!.id, later!)
  assert.deepEqual(ids(byRole(await org.get(url))), [next!.id, undefined, current!.id])
  const last = (await org.events()).at(-1)!
  assert.equal(last.event_type, 'application_update')
  assert.deepEqual(last.initiated_by, { type: 'system', name: 'certificate rotation' })

  for (const at of ['yesterday', '2020-01-01T00:00:00Z'])
    assert.equal((await org.post(`${url}/promote`, { at })).statusCode, 400, at)
})

test('a promotion that falls due while the application is deleted runs when it is restored', async () => {
  const org = await app.newOrganization()
  const { id, url } = await newApplication(org)
  const at = new Date(Date.now() + DAY).toISOString()
  const { current, next } = byRole(await org.post(url, { promoteAt: at }))
  await org.delete(`/api/applications/${id}`)
  await comeTo(org, id, next!.id, at)
  const past = new Date(Date.now() - DAY).toISOString()
  await app.db.tx(org.organizationId, (tx) =>
    tx.execute('update applications set promote_at = $2 where id = $1', [id, past]),
  )
  assert.equal((await org.post(`/api/applications/${id}/restore`)).statusCode, 200)
  await app.runDueJobs()
  assert.deepEqual(ids(byRole(await org.get(url))), [next!.id, undefined, current!.id])
})

test('a promotion whose job is lost still runs', async () => {
  const org = await app.newOrganization()
  const { id, url } = await newApplication(org)
  const at = new Date(Date.now() + DAY).toISOString()
  const { current, next } = byRole(await org.post(url, { promoteAt: at }))
  const sweep = async () => {
    await app.db.tx(org.organizationId, (tx) => app.queue.send(tx, promoteOverdueJob, {}))
    await app.runDueJobs()
  }
  await sweep()
  assert.deepEqual(ids(byRole(await org.get(url))), [current!.id, next!.id, undefined])
  await app.db.tx(org.organizationId, (tx) =>
    tx.execute("update applications set promote_at = now() - interval '1 hour' where id = $1", [
      id,
    ]),
  )
  await sweep()
  assert.deepEqual(ids(byRole(await org.get(url))), [next!.id, undefined, current!.id])
})

test('each certificate lists the clients that fetched it', async () => {
  const org = await app.newOrganization()
  const { slug, url } = await newApplication(org)
  const { current } = (await findSsoApplication(app, slug))!.certificates
  await org.post(url)
  const application = (await findSsoApplication(app, slug))!
  const next = application.certificates.next!
  const fetch = (address: string, userAgent: string, certificates: string[]) =>
    noteMetadataFetched(app.db, application, { address, userAgent, certificates })
  await fetch('192.0.2.1', 'Old/1.0', [current.id])
  await fetch('192.0.2.2', 'New/1.0', [current.id, next.id])
  await fetch('192.0.2.2', 'New/1.0', [current.id, next.id])
  const roles = byRole(await org.get(url))
  const names = (certificate: ApplicationCertificate | undefined) =>
    certificate!.fetchedBy.map(({ address, userAgent }) => `${address} ${userAgent}`)
  assert.deepEqual(names(roles.current).sort(), ['192.0.2.1 Old/1.0', '192.0.2.2 New/1.0'])
  assert.deepEqual(names(roles.next), ['192.0.2.2 New/1.0'])

  // The endpoint is public, so the rows are bounded.
  for (let at = 0; at < 60; at++) await fetch(`198.51.100.${at}`, 'x'.repeat(1000), [next.id])
  assert.equal(byRole(await org.get(url)).next!.fetchedBy.length, 50)
})

test('metadata is served while one of its certificates is being deleted', async () => {
  const org = await app.newOrganization()
  const { slug, url } = await newApplication(org)
  await org.post(url)
  const application = (await findSsoApplication(app, slug))!
  const { current, next } = application.certificates
  const { noted } = await app.db.tx(org.organizationId, async (tx) => {
    await tx.run(
      sql`update applications set next_certificate_id = null where id = ${application.id}`,
    )
    await tx.run(sql`delete from application_certificates where id = ${next!.id}`)
    const noted = noteMetadataFetched(app.db, application, {
      address: '192.0.2.1',
      userAgent: 'SP/1.0',
      certificates: [current.id, next!.id],
    })
    await untilBlocked(app.db, tx)
    return { noted }
  })
  await noted
  const roles = byRole(await org.get(url))
  assert.deepEqual(ids(roles), [current.id, undefined, undefined])
  assert.equal(roles.current!.fetchedBy[0]!.userAgent, 'SP/1.0')
})

test('warnings are due 60, 30, 7 and 1 days before expiry, each once', () => {
  const end = new Date('2031-11-15T09:00:00Z')
  const at = (days: number) => new Date(end.getTime() - days * DAY)
  const cases: [number, number | null, number | null][] = [
    [61, null, null],
    [60, null, 60],
    [59, 60, null],
    [45, null, 60],
    [30, 60, 30],
    [20, null, 30],
    [7, 30, 7],
    [6.5, 7, null],
    [1, 7, 1],
    [0.5, 1, null],
    [-3, null, 1],
    [-3, 1, null],
  ]
  for (const [left, warned, due] of cases)
    assert.equal(warningDue(end, warned, at(left)), due, `${left} days left, warned at ${warned}`)
  assert.deepEqual([...WARNINGS], [1, 7, 30, 60])
})

test('administrators who can renew the certificate get an event and a mail', async () => {
  const org = await app.newOrganization()
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const { id, url } = await newApplication(org)
  const { notAfter } = byRole(await org.get(url)).current!
  const mailed: string[] = []
  const context = {
    db: app.db,
    postMail: async (
      _: unknown,
      { recipient, subject }: { recipient: string; subject: string },
    ) => {
      mailed.push(`${recipient} ${subject}`)
    },
  }
  const mine = () => mailed.filter((line) => line.startsWith(org.email))
  const warnings = async () =>
    (await org.events()).filter(
      ({ event_type }) => event_type === 'application_certificate_expiring',
    )
  const daysBefore = (days: number) => new Date(Date.parse(notAfter) - days * DAY)
  await warnOfExpiry(context, daysBefore(61))
  assert.deepEqual([mine().length, (await warnings()).length], [0, 0])
  for (const days of [60, 59.5, 30, 29, 7, 6, 1, 0.5]) await warnOfExpiry(context, daysBefore(days))
  assert.deepEqual(
    (await warnings()).map(({ resource }) => (resource as { days: number }).days),
    [60, 30, 7, 1],
  )
  const [warning] = await warnings()
  assert.equal((warning!.resource as { id: string }).id, id)
  assert.equal(mine().length, 4)
  assert.match(mine()[0]!, new RegExp(`CRM expires on ${notAfter.slice(0, 10)}`))
  assert.ok(!mailed.some((line) => line.startsWith(reader.email)))

  // No warning has been sent about the promoted certificate yet.
  await org.post(url)
  await org.post(`${url}/promote`)
  await warnOfExpiry(context, new Date(Date.now() + 4.9 * 365 * DAY))
  assert.equal((await warnings()).length, 5)
})

test('reading requires the read scope, and rotating the update scope', async () => {
  const org = await app.newOrganization()
  const { id, url } = await newApplication(org)
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const other = await app.newOrganization()
  assert.equal((await reader.get(url)).statusCode, 200)
  assert.equal((await other.get(url)).statusCode, 404)
  for (const call of [
    (by: Pick<Org, 'post'>) => by.post(url),
    (by: Pick<Org, 'post'>) => by.post(`${url}/promote`),
    (by: Pick<Org, 'post'>) => by.post(`${url}/return`),
  ]) {
    assert.equal((await call(reader)).statusCode, 403)
    assert.equal((await call(other)).statusCode, 404)
  }
  assert.equal((await reader.delete(`${url}/next`)).statusCode, 403)
  assert.equal((await other.delete(`${url}/next`)).statusCode, 404)
  const bookmark = await org.post('/api/applications', {
    name: 'bookmark',
    ssoUrl: 'https://wiki.example.com',
  })
  const bookmarkUrl = `/api/v2/applications/${bookmark.json().id}/certificates`
  assert.deepEqual((await org.get(bookmarkUrl)).json(), [])
  assert.equal((await org.post(bookmarkUrl)).statusCode, 400)
  assert.ok(id)
})

test('the key is sealed, and `keys rotate` reseals it', async () => {
  const org = await app.newOrganization()
  const { id } = await newApplication(org)
  const row = await app.db
    .tenant(org.organizationId)
    .one<{ id: string; private_key: string }>(
      sql`select id, private_key from application_certificates where application_id = ${id}`,
    )
  assert.ok(!row!.private_key.includes('PRIVATE'))
  const { SEALED_COLUMNS } = await import('../../platform/sealed-columns.ts')
  const column = SEALED_COLUMNS.find(({ table }) => table === 'application_certificates')!
  const key = await app.sealer.unseal(row!.private_key, column.context({ id: row!.id }))
  assert.match(key, /BEGIN PRIVATE KEY/)
})
