import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { insertPastEvents } from '../server/insights/index.ts'
import { sealOrganization } from '../server/insights/segments/seal.ts'
import { clientConfig } from '../server/platform/db/index.ts'
import { uuidv7 } from '../server/platform/ids.ts'
import { asOwner } from './cluster.ts'
import { startApp } from './harness.ts'

const app = await startApp({ alone: true })

const tenantTables = () =>
  asOwner(app.owner, async (client) => {
    const { rows } = await client.query<{ name: string }>(`
      select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
       where a.attname = 'organization_id' and c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
       order by 1`)
    return rows.map((row) => row.name)
  })

test('every table with organization_id has the policy, and the column in each of its keys', async () => {
  const tables = await tenantTables()
  assert.ok(tables.length >= 4)
  await asOwner(app.owner, async (client) => {
    for (const table of tables) {
      const { rows: policies } = await client.query(
        `select p.polname, pg_get_expr(p.polqual, p.polrelid) as using_expr, pg_get_expr(p.polwithcheck, p.polrelid) as check_expr,
                c.relrowsecurity
           from pg_class c left join pg_policy p on p.polrelid = c.oid where c.oid = $1::regclass`,
        [table],
      )
      assert.equal(policies[0].relrowsecurity, true, `${table}: row-level security is off`)
      assert.equal(policies.length, 1, table)
      for (const expression of [policies[0].using_expr, policies[0].check_expr]) {
        // Event readers may query several tenants at once.
        assert.match(
          expression,
          /organization_id\)?(::text)? = (current_tenant\(\)|ANY \(current_tenants\(\)\))/,
          table,
        )
      }
      const { rows: keys } = await client.query(
        `select conname, pg_get_constraintdef(oid) as definition from pg_constraint
          where conrelid = $1::regclass and contype in ('p', 'u', 'f')`,
        [table],
      )
      const { rows: indexes } = await client.query(
        `select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = $1::regclass and indisunique`,
        [table],
      )
      assert.ok(indexes.length > 0, `${table} has no key`)
      // Usually it comes first; names that a sign-in looks up before it knows the tenant begin with the name.
      for (const { definition } of [...keys, ...indexes]) {
        const [key] = definition.split(' INCLUDE ')
        assert.match(key, /\((\w+, )*organization_id[,)]/, `${table}: ${definition}`)
      }
    }
  })
})

test('no table has a trigger', async () => {
  await asOwner(app.owner, async (client) => {
    const { rows } = await client.query(`
      select tgrelid::regclass::text as table, tgname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
       where not tgisinternal and c.relnamespace = 'public'::regnamespace`)
    assert.deepEqual(rows, [])
  })
})

test('the service role owns nothing and cannot bypass row-level security', async () => {
  await asOwner(app.owner, async (client) => {
    const { rows } = await client.query(`
      select rolsuper, rolbypassrls,
             (select count(*) from pg_class where relowner = r.oid)::int as owned
        from pg_roles r where rolname = 'gatehouse_service'`)
    assert.deepEqual(rows[0], { rolsuper: false, rolbypassrls: false, owned: 0 })
  })
})

/** Stores an event and seals it. */
async function sealOne(organizationId: string): Promise<void> {
  const timestamp = new Date(Date.now() - 3_600_000).toISOString()
  const event = { id: uuidv7(), timestamp, service: 'ldap', document: '{"event_type":"secret"}' }
  await app.db.tx(organizationId, (tx) => insertPastEvents(tx, organizationId, [event]))
  await sealOrganization(app.db, organizationId, { least: 1 })
}

test('raw SQL as the service role reads and writes nothing across tenants', async () => {
  const [mine, theirs] = [await app.newOrganization(), await app.newOrganization()]
  for (const org of [mine, theirs]) {
    assert.equal(
      (await org.post('/api/v2/roles', { name: 'Secret role', scopes: ['users'] })).statusCode,
      200,
    )
    const robot = {
      name: 'Robot',
      roleId: '000000000000000000000005',
      authConfig: { authType: 'API_KEY' },
    }
    assert.equal((await org.post('/api/v2/service-accounts', robot)).statusCode, 200)
    await sealOne(org.organizationId)
  }
  const client = new pg.Client(clientConfig(app.service))
  await client.connect()
  const sealed = ['event_segments', 'event_frames', 'event_columns']
  const tables = ['roles', 'service_accounts', 'service_account_auth_configs', 'events', ...sealed]
  try {
    for (const table of tables) {
      const { rows } = await client.query(`select * from ${table}`)
      assert.deepEqual(rows, [], `${table} without a tenant`)
    }
    await client.query('begin')
    await client.query(`set local "app.organization_id" = '${mine.organizationId}'`)
    for (const table of tables) {
      const { rows } = await client.query(`select distinct organization_id from ${table}`)
      assert.deepEqual(rows, [{ organization_id: mine.organizationId }], table)
      const { rowCount: seen } = await client.query(
        `select from ${table} where organization_id = $1`,
        [theirs.organizationId],
      )
      assert.equal(seen, 0)
      const { rowCount: deleted } = await client.query(
        `delete from ${table} where organization_id = $1`,
        [theirs.organizationId],
      )
      assert.equal(deleted, 0)
    }
    const { rowCount: updated } = await client.query(
      "update roles set name = 'stolen' where organization_id = $1",
      [theirs.organizationId],
    )
    assert.equal(updated, 0)
    await client.query('savepoint before')
    const writes: [string, unknown[]][] = [
      [
        'insert into roles (organization_id, id, name, scopes) values ($1, $2, $3, $4)',
        [theirs.organizationId, 'a'.repeat(24), 'seeded', ['users']],
      ],
      ['update roles set organization_id = $1', [theirs.organizationId]],
      [
        "insert into events (organization_id, timestamp, id, service, document) values ($1, now(), gen_random_uuid(), 'directory', '{}')",
        [theirs.organizationId],
      ],
      ...sealed.map((table): [string, unknown[]] => [
        `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object('organization_id', $1::text))).* from ${table} t`,
        [theirs.organizationId],
      ]),
    ]
    for (const [text, values] of writes) {
      await assert.rejects(client.query(text, values), /row-level security/)
      await client.query('rollback to before')
    }
    const updates = [
      "update events set document = '{}'",
      ...sealed.map((table) => `update ${table} set organization_id = organization_id`),
    ]
    for (const text of updates) {
      await assert.rejects(client.query(text), /permission denied/, 'events are never changed')
      await client.query('rollback to before')
    }
    await assert.rejects(client.query('select from events_default'), /permission denied/)
    await client.query('rollback')
    await assert.rejects(client.query('create table seeded ()'), /permission denied/)
    await assert.rejects(
      client.query('alter table roles disable row level security'),
      /must be owner/,
    )
  } finally {
    await client.end()
  }
})
