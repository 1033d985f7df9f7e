import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { newWorld } from '../../test/sso/world.ts'
import { sql } from '../platform/db/sql.ts'
import { joinSession } from './participants.ts'

const app = await startApp()

test('a session that has ended is noticed, even by an application that had joined it', async () => {
  const { org, application } = await newWorld(app)
  const { organizationId } = org
  const tenant = app.db.tenant(organizationId)
  const session = (await tenant.one<{ id: string }>(sql`
    select id from user_sessions where organization_id = ${organizationId}`))!
  const issued = { nameId: { value: 'ada@example.com', format: 'urn:x' }, sessionIndex: '_1' }
  const join = () =>
    app.db.tx(organizationId, (tx) =>
      joinSession(tx, organizationId, session.id, application.id, issued),
    )
  await join()
  await join()
  await tenant.run(sql`
    delete from user_sessions where organization_id = ${organizationId} and id = ${session.id}`)
  await assert.rejects(join, { code: '23503' })
})
