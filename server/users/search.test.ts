import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asOwner } from '../../test/cluster.ts'
import { startApp } from '../../test/harness.ts'
import { mulberry32 } from '../../test/insights/random.ts'
import { addUser } from '../../test/people.ts'
import { sql } from '../platform/db/sql.ts'
import { DEFAULT_LIMITS } from '../platform/limits.ts'
import { readTenantPage } from '../platform/list/page.ts'
import { readSearch } from '../platform/list/query.ts'
import { listUsers, type UserRow, userResource } from './store.ts'

const app = await startApp()
const FIELDS = ['username', 'email', 'firstname', 'lastname', 'displayname']

test('the index finds whom reading every user finds: any script, wildcards, composed or not', async () => {
  const org = await app.newOrganization()
  const { organizationId } = org
  const tenant = app.db.tenant(organizationId)
  const random = mulberry32(5)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const parts = [
    'Ann',
    'o',
    "'",
    'MÜL',
    'ler',
    'Иван',
    'ов',
    '李',
    '100%',
    'a_b',
    'c\\d',
    '303',
    'ΣΑΣ',
    'İ',
    'e\u0301',
    'é',
    ' ',
  ]
  const text = () =>
    Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(parts)).join('')
  for (let i = 0; i < 60; i++)
    await addUser(org, { firstname: text(), lastname: text(), displayname: text() })
  await addUser(org, { username: 'Zoë.Ångström', email: 'Zoe.A@example.com' })

  const terms = [
    'zoë',
    'Zoe\u0308',
    'ÅNG',
    'zoe.a@EXAMPLE',
    'example.com',
    '%',
    '_',
    '\\',
    '\\303',
    'n',
    'nn',
  ]
  for (let i = 0; i < 60; i++) terms.push(text())
  let found = 0
  for (const term of terms)
    for (const fields of [FIELDS, [pick(FIELDS)]]) {
      const searchFilter = { searchTerm: random() < 0.2 ? [term, text()] : term, fields }
      const list = readSearch(
        userResource,
        {},
        { searchFilter, limit: 5, skip: random() < 0.3 ? 3 : 0 },
        DEFAULT_LIMITS.list,
      )
      const byIndex = await listUsers(tenant, organizationId, list)
      const scope = sql`deleted_at is null`
      const read = await readTenantPage<UserRow>(tenant, sql`users`, organizationId, scope, list)
      assert.deepEqual(byIndex, read, JSON.stringify(searchFilter))
      found += read.totalCount
    }
  assert.ok(found > 100, `${found} found`)
})

test('a search that matches more users than the index should tell is exact too', async () => {
  const org = await app.newOrganization()
  await asOwner(app.owner, (client) =>
    client.query(
      `insert into users (organization_id, id, username, email, state, unix_uid, unix_guid, creation_source)
       select $1, lpad(to_hex(n), 24, '0'), 'many' || n, 'many' || n || '@example.com', 'STAGED', 9000 + n, 9000 + n, 'test'
         from generate_series(1, 2500) n`,
      [org.organizationId],
    ),
  )
  const search = async (searchTerm: string) =>
    (await org.post('/api/search/systemusers', { searchFilter: { searchTerm }, limit: 3 })).json()
  const all = await search('MANY')
  assert.deepEqual([all.totalCount, all.results.length], [2500, 3])
  assert.equal((await search('many24')).totalCount, 111)
})

test('the function that searches the index knows one tenant only, and none without it', async () => {
  const [mine, theirs] = [await app.newOrganization(), await app.newOrganization()]
  const { id } = await addUser(mine, { firstname: 'Leocadia' })
  await addUser(theirs, { firstname: 'Leocadia' })
  const query = sql`select id from search_users(array['leocadia'], 10)`
  assert.deepEqual(await app.db.tenant(mine.organizationId).many(query), [{ id }])
  assert.deepEqual(await app.db.many(query), [])
})
