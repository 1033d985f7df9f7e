import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { connectLab, startLab } from '../../test/provisioning/world.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'
import { findAccount, saveResults, sweepAccounts } from './account-store.ts'
import { settled } from './outcome.ts'

const app = await startApp()

test('saving a result reads its account, not all those of an application bound just now', async () => {
  const { id, org } = await connectLab(app, await startLab())
  const { organizationId } = org
  const userIds = Array.from({ length: 2000 }, () => newId())
  const read = await app.db.tx(organizationId, async (tx) => {
    await sweepAccounts(tx, organizationId, id, userIds, new Date().toISOString(), false)
    const rowsRead = async () =>
      (await tx.one<{ rows: number }>(sql`
        select seq_tup_read + idx_tup_fetch as rows from pg_stat_xact_user_tables
         where relname = 'provisioning_users'`))!.rows
    const token = 'the worker'
    await tx.run(sql`update provisioning_runs set lease = ${token} where application_id = ${id}`)
    const row = (await findAccount(tx, organizationId, id, userIds[0]!))!
    const desired = { wanted: 'skipped', bound: true, user: undefined, resource: null } as const
    const result = settled(row, { ...desired, problems: [] }, 'staged')
    const before = await rowsRead()
    const lease = { applicationId: id, token }
    assert.equal(await saveResults(tx, organizationId, lease, [result]), 1)
    return (await rowsRead()) - before
  })
  assert.ok(read < 10, `${read} rows`)
})
