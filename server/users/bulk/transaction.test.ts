import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilBlocked } from '../../../test/blocked.ts'
import { startApp } from '../../../test/harness.ts'
import { person } from '../../../test/people.ts'
import { sql } from '../../platform/db/sql.ts'
import { lockUser } from '../store.ts'

const app = await startApp()

test('a change is undone when another run has finished its row', async () => {
  const org = await app.newOrganization()
  const { organizationId } = org
  const { id } = (await org.post('/api/systemusers', person({ jobTitle: 'Clerk' }))).json()
  const { jobId } = (await org.patch('/api/v2/bulk/users', [{ id, jobTitle: 'Lead' }])).json()
  let run: Promise<unknown> | undefined
  await app.db.tx(organizationId, async (tx) => {
    await lockUser(tx, organizationId, id)
    run = app.runDueJobs()
    await untilBlocked(app.db, tx)
    await app.db.tx(organizationId, (other) =>
      other.run(sql`
        update batch_rows set status = 'Finished', success = true
         where organization_id = ${organizationId} and batch_id = ${jobId}`),
    )
  })
  await run
  assert.equal((await org.get(`/api/systemusers/${id}`)).json().jobTitle, 'Clerk')
})
