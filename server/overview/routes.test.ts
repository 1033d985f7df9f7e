import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addUser } from '../../test/people.ts'
import { evaluateGroupJob } from '../groups/index.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'
import { watchJobsJob } from '../platform/jobs/failures.ts'

const app = await startApp()

test('counts what needs attention, as far as the caller may read it', async () => {
  const org = await app.newOrganization()
  const zero = (await org.get('/api/v2/attention')).json()
  assert.deepEqual(zero, {
    users: 0,
    systems: 0,
    applications: 0,
    forwarders: 0,
    lockedUsers: 0,
    expiredPasswords: 0,
    usersWithoutMfa: 0,
    unseenSystems: 0,
    expiringCertificates: 0,
    failingProvisioning: 0,
    parkedImports: 0,
    failedJobs: 0,
    failingForwarders: 0,
  })
  const { id } = await addUser(org, { state: 'ACTIVATED', password: 'Tangled-Orchard-58' })
  await org.post(`/api/systemusers/${id}/expire`)
  const { organizationId } = org
  const tenant = app.db.tenant(organizationId)
  for (const state of ['waiting', 'failed', 'finished'])
    await tenant.run(sql`
      insert into batches (organization_id, id, kind, state, started_by)
      values (${organizationId}, ${newId()}, 'imports.run', ${state}, '{}')`)
  const counted = (await org.get('/api/v2/attention')).json()
  assert.deepEqual(counted, {
    ...zero,
    users: 1,
    expiredPasswords: 1,
    usersWithoutMfa: 1,
    parkedImports: 1,
    failedJobs: 1,
  })

  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  assert.deepEqual((await reader.get('/api/v2/attention')).json(), counted)
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  assert.equal((await runner.get('/api/v2/attention')).statusCode, 403)

  const stranger = await app.newOrganization()
  assert.deepEqual((await stranger.get('/api/v2/attention')).json(), zero)
})

test('the numbers of applications are those of the lists behind them', async () => {
  const org = await app.newOrganization()
  const { organizationId } = org
  const tenant = app.db.tenant(organizationId)
  const add = async (displayLabel: string, active = true): Promise<string> => {
    const res = await org.post('/api/applications', {
      name: 'saml2',
      displayName: displayLabel,
      displayLabel,
      ssoUrl: `app-${newId()}`,
      active,
      config: { acsUrl: { value: 'https://sp.example.com/acs' } },
    })
    assert.equal(res.statusCode, 200, res.body)
    return res.json().id
  }
  const expireIn = (id: string, days: number) =>
    tenant.run(sql`
      update application_certificates set not_after = now() + make_interval(days => ${days})
       where organization_id = ${organizationId} and application_id = ${id}`)
  const connect = (id: string, status = 'active', heldRemovals: number | null = null) =>
    tenant.run(sql`
      insert into provisioning_connections
             (organization_id, application_id, idm_client_id, status, held_removals, settings, secret)
      values (${organizationId}, ${id}, ${newId()}, ${status}, ${heldRemovals}, '{}', '')`)
  const [calm, stopped, held, failing, soon, ended, asleep, gone] = [
    await add('Calm'),
    await add('Stopped'),
    await add('Held'),
    await add('Failing'),
    await add('Soon'),
    await add('Ended'),
    await add('Asleep', false),
    await add('Gone'),
  ]
  for (const id of [calm, failing]) await connect(id)
  await connect(held, 'active', 3)
  await tenant.run(sql`
    insert into provisioning_users (organization_id, application_id, user_id, username, failing_since)
    values (${organizationId}, ${failing}, ${newId()}, 'ada', now())`)
  for (const [id, days] of [
    [calm, 31],
    [soon, 29],
    [ended, -1],
    [asleep, 29],
    [gone, 29],
  ] as const)
    await expireIn(id, days)
  await org.delete(`/api/applications/${gone}`)
  for (const id of [stopped, gone]) await connect(id, 'stopped')

  const labels = async (query: string, by: { get: typeof org.get } = org) => {
    const res = await by.get(`/api/applications?${query}&fields=displayLabel`)
    assert.equal(res.statusCode, 200, res.body)
    return res.json().results.map((row: { displayLabel: string }) => row.displayLabel)
  }
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const troubled = await labels('filter=provisioning.failing:$eq:true&sort=displayLabel')
  const ending = await labels(
    `filter=active:$eq:true&filter=sso.idpCertExpirationAt:$lt:${inDays(30)}&sort=sso.idpCertExpirationAt`,
  )
  assert.deepEqual(troubled, ['Failing', 'Held', 'Stopped'])
  assert.deepEqual(ending, ['Ended', 'Soon'])
  const counted = (await org.get('/api/v2/attention')).json()
  assert.deepEqual(
    [counted.applications, counted.failingProvisioning, counted.expiringCertificates],
    [7, troubled.length, ending.length],
  )
  assert.deepEqual(
    (await org.get('/api/v2/applications?filter=provisioning.failing:eq:true&sort=displayLabel'))
      .json()
      .map((row: { displayLabel: string }) => row.displayLabel),
    troubled,
  )
  assert.equal((await labels('filter=provisioning.failing:$eq:false')).length, 4)
  assert.deepEqual((await org.get('/api/v2/search?q=gone')).json(), [])

  const stranger = await app.newOrganization()
  assert.deepEqual(await labels('filter=provisioning.failing:$eq:true', stranger), [])
})

test('counts the events and sign-ins of the last days', async () => {
  const org = await app.newOrganization()
  const read = async (by: { get: typeof org.get }, query = '') =>
    (await by.get(`/api/v2/activity${query}`)).json()
  const sum = (buckets: { doc_count: number }[]) =>
    buckets.reduce((total, { doc_count }) => total + doc_count, 0)
  await app.http.inject({
    method: 'POST',
    url: '/auth/sign-in',
    remoteAddress: '10.9.8.7',
    payload: { email: org.email, password: 'Wrong-Orchard-58' },
  })
  await addUser(org)
  const { services, signIns, deniedReasons } = await read(org, '?timezone=%2B0530')
  const directory = services.find(({ service }: { service: string }) => service === 'directory')
  assert.equal(sum(directory.buckets), (await org.events()).length)
  // Steps begin at full hours of the zone, which is half an hour off.
  for (const { key } of directory.buckets) assert.equal(key % 3_600_000, 1_800_000)
  assert.deepEqual(
    signIns.map(({ success, buckets }: { success: boolean; buckets: [] }) => [
      success,
      sum(buckets),
    ]),
    [
      [true, 0],
      [false, 1],
    ],
  )
  assert.deepEqual(sum(deniedReasons), 1)

  const bad = await org.get('/api/v2/activity?timezone=noon')
  assert.deepEqual([bad.statusCode, bad.json().reason], [400, 'bad_timezone'])
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  assert.equal((await runner.get('/api/v2/activity')).statusCode, 403)
  const stranger = await app.newOrganization()
  assert.equal(sum((await read(stranger)).signIns[1].buckets), 0)
})

test('finds records of every kind by words and by id', async () => {
  const org = await app.newOrganization()
  const ada = await addUser(org, { firstname: 'Ada', lastname: 'Quillfeather' })
  // Without an id in the names, which may have the letters that are looked for.
  const noor = { username: 'noor', email: 'noor@example.com' }
  await addUser(org, { ...noor, firstname: 'Noor', lastname: 'Quillfeather' })
  const group = (await org.post('/api/v2/usergroups', { name: 'Quill writers' })).json()
  const machines = (await org.post('/api/v2/systemgroups', { name: 'Quill plotters' })).json()
  const application = (
    await org.post('/api/applications', {
      name: 'bookmark',
      displayLabel: 'Quill shop',
      ssoUrl: 'https://quill.example.com/',
    })
  ).json()
  const find = async (q: string, by: { get: typeof org.get } = org) => {
    const res = await by.get(`/api/v2/search?q=${encodeURIComponent(q)}`)
    assert.equal(res.statusCode, 200, res.body)
    return res.json() as { type: string; id: string; name: string; about: string }[]
  }
  const namesOf = (hits: { name: string }[]) => hits.map(({ name }) => name).sort()
  assert.deepEqual(namesOf(await find('QUILL')), [
    'Ada Quillfeather',
    'Noor Quillfeather',
    'Quill plotters',
    'Quill shop',
    'Quill writers',
  ])
  assert.deepEqual(await find('quillf ada'), [
    { type: 'user', id: ada.id, name: 'Ada Quillfeather', about: ada.email },
  ])
  assert.deepEqual(namesOf(await find('ad quillfeather')), ['Ada Quillfeather'])
  for (const [id, type] of [
    [ada.id, 'user'],
    [group.id, 'user_group'],
    [machines.id, 'system_group'],
    [application.id, 'application'],
    [org.adminId, 'administrator'],
  ])
    assert.deepEqual(
      (await find(id)).map((hit) => [hit.type, hit.id]),
      [[type, id]],
    )
  assert.deepEqual(
    (await find(org.email)).map(({ type }) => type),
    ['administrator'],
  )
  assert.deepEqual(await find('100%'), [])

  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  assert.equal((await runner.get('/api/v2/search?q=quillfeather')).statusCode, 403)
  const stranger = await app.newOrganization()
  assert.deepEqual(await find('quill', stranger), [])
  assert.deepEqual(await find(ada.id, stranger), [])
})

test('refuses an empty search and one that is too long', async () => {
  const org = await app.newOrganization()
  for (const q of ['', '%20', 'x'.repeat(201)])
    assert.equal((await org.get(`/api/v2/search?q=${q}`)).statusCode, 400)
})

test('lists the work of an organization, and tries what failed in a queue again', async () => {
  const org = await app.newOrganization()
  const stranger = await app.newOrganization()
  const { organizationId } = org
  const jobs = async (query = '', by: { get: typeof org.get } = org) => {
    const res = await by.get(`/api/v2/jobs${query}`)
    assert.equal(res.statusCode, 200, res.body)
    return res.json() as { id: string; kind: string; state: string; attempts: number }[]
  }
  assert.deepEqual(await jobs(), [])
  const batch = newId()
  await app.db.tenant(organizationId).run(sql`
    insert into batches (organization_id, id, kind, state, started_by, total, input, error)
    values (${organizationId}, ${batch}, 'imports.import', 'failed', '{}', 0, '{"applicationId": "a1"}', 'gone'),
           (${organizationId}, ${newId()}, 'imports.import', 'finished', '{}', 0, '{"dryRun": true}', null)`)
  await org.post('/insights/directory/v1/reports/os-version', {})
  await app.db.tx(null, (tx) =>
    app.queue.send(tx, evaluateGroupJob, { organizationId, type: 'user_group', id: newId() }),
  )
  const mine = sql`name = ${evaluateGroupJob.name} and data->>'organizationId' = ${organizationId}`
  await app.db.run(sql`update pgboss.job set state = 'failed', retry_count = 3 where ${mine}`)
  const listed = await jobs('?sort=kind')
  assert.deepEqual(
    listed.map(({ kind, state }) => [kind, state]),
    [
      ['import', 'failed'],
      ['plan', 'finished'],
      ['queue', 'failed'],
      ['report', 'queued'],
    ],
  )
  const [first, failed] = await jobs('?filter=state:eq:failed&sort=kind')
  assert.deepEqual(first, {
    ...first,
    id: batch,
    total: 0,
    pending: null,
    message: 'gone',
    applicationId: 'a1',
  })
  assert.equal(failed?.attempts, 4)
  const home = async () => (await org.get('/api/v2/attention')).json().failedJobs
  await app.db.tx(null, (tx) => app.queue.send(tx, watchJobsJob, {}))
  await app.runDueJobs()
  assert.equal(await home(), 2, 'the number on Home is that of the list behind it')
  assert.deepEqual(await jobs('', stranger), [])

  const retry = (by: { post: typeof org.post }, id = failed!.id) =>
    by.post(`/api/v2/jobs/${id}/retry`)
  const reader = await app.addAdministrator(organizationId, 'Read Only')
  assert.equal((await jobs('', reader)).length, 4)
  assert.equal((await retry(reader)).statusCode, 403)
  for (const refused of [await retry(stranger), await retry(org, batch), await retry(org, 'x')])
    assert.deepEqual([refused.statusCode, refused.json().reason], [404, 'job_not_found'])
  assert.equal((await org.get('/api/v2/jobs?filter=secret:eq:x')).statusCode, 400)
  assert.equal((await retry(org)).statusCode, 204)
  await app.runDueJobs()
  assert.deepEqual(
    (await jobs('?sort=kind')).map(({ kind, state }) => [kind, state]),
    [
      ['import', 'failed'],
      ['plan', 'finished'],
      ['report', 'finished'],
    ],
  )
  const events = (await org.events()).filter(({ event_type }) => event_type === 'job_retry')
  assert.deepEqual(
    events.map(({ resource }) => resource),
    [{ type: 'job', id: failed!.id, name: evaluateGroupJob.name }],
  )
})

test('a bulk job tells how many mails it holds, until they are released', async () => {
  const org = await app.newOrganization()
  const people = ['a', 'b'].map((name) => ({
    username: name,
    email: `${name}@example.com`,
    state: 'ACTIVATED',
  }))
  const started = await org.post('/api/v2/bulk/users?holdEmails=true', people)
  assert.equal(started.statusCode, 201, started.body)
  await org.post('/api/v2/bulk/users', [{ username: 'c', email: 'c@example.com' }])
  await app.runDueJobs()
  const held = async () =>
    ((await org.get('/api/v2/jobs?sort=created')).json() as { heldMails: number | null }[]).map(
      ({ heldMails }) => heldMails,
    )
  assert.deepEqual(await held(), [2, null])
  await org.post(`/api/v2/bulk/users/${started.json().jobId}/emails/release`)
  assert.deepEqual(await held(), [0, null])
})

test('the overview of a provider counts users, devices and problems of each organization in reach', async () => {
  const provider = await app.newProvider(3)
  const [one, two, three] = provider.organizationIds
  const body = { username: 'ada', email: 'ada@example.com' }
  await provider.post('/api/systemusers', body, { 'x-org-id': one! })
  await app.db.tenant(one!).run(sql`update users set account_locked = true`)
  const url = `/api/v2/providers/${provider.providerId}/overview`
  const sizes = async (who: Pick<typeof provider, 'get'>) => {
    const { results } = (await who.get(url)).json()
    return Object.fromEntries(
      results.map(({ id, users, systems, problems }: Record<string, number | null>) => [
        id,
        [users, systems, problems],
      ]),
    )
  }
  assert.deepEqual(await sizes(provider), {
    [one!]: [1, 0, 1],
    [two!]: [0, 0, 0],
    [three!]: [0, 0, 0],
  })
  const some = await app.addProviderAdministrator(provider.providerId, [two!], 'Read Only')
  assert.deepEqual(await sizes(some), { [two!]: [0, 0, 0] })

  const key = { scopes: ['providers.readonly', 'systems.readonly'] }
  const narrowed = (await some.post(`/api/users/${some.id}/apikey`, key)).json().apiKey
  app.secrets.add(narrowed)
  assert.deepEqual(await sizes(app.as(narrowed)), { [two!]: [null, 0, 0] })
  const runner = await app.addProviderAdministrator(provider.providerId, [one!], 'Command Runner')
  assert.equal((await runner.get(url)).statusCode, 403)
  assert.equal((await (await app.newProvider()).get(url)).statusCode, 404)
  assert.equal((await provider.get('/api/v2/providers/x/overview')).statusCode, 404)
})

test('deleted organizations are shown to those who can restore them, until they are erased', async () => {
  const provider = await app.newProvider()
  const [two, one] = provider.organizationIds
  const base = `/api/v2/providers/${provider.providerId}`
  const name = `Organization ${one}`
  const res = await provider.delete(`${base}/organizations/${one}?name=${encodeURIComponent(name)}`)
  assert.equal(res.statusCode, 200, res.body)
  const overview = async (who: Pick<typeof provider, 'get'>) =>
    (await who.get(`${base}/overview`)).json()
  const { results, deleted } = await overview(provider)
  assert.deepEqual(
    results.map(({ id, maxSystemUsers }: Record<string, unknown>) => [id, maxSystemUsers]),
    [[two, 0]],
  )
  assert.deepEqual(
    deleted.map(({ id, name }: Record<string, unknown>) => [id, name]),
    [[one, name]],
  )
  assert.equal(Date.parse(deleted[0].erased) - Date.parse(deleted[0].deleted), 30 * 86_400_000)
  const three = (await provider.post(`${base}/organizations`, { name: 'Third' })).json()
  const some = await app.addProviderAdministrator(provider.providerId, [three.id], 'Administrator')
  assert.deepEqual((await overview(some)).deleted, [])
  assert.deepEqual((await overview(await app.newProvider())).deleted, undefined)
  await provider.post(`${base}/organizations/${one}/restore`)
  assert.deepEqual((await overview(provider)).deleted, [])
})
