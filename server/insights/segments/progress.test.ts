import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/harness.ts'
import { uuidv7 } from '../../platform/ids.ts'
import { insertPastEvents } from '../index.ts'
import { progressReport } from './progress.ts'
import { sealOrganization } from './seal.ts'

const app = await startApp()

test('a long run reports how many events are left', async () => {
  const { organizationId } = await app.newOrganization()
  const start = Date.now() - 7_200_000
  const events = Array.from({ length: 35 }, (_, at) => ({
    id: uuidv7(),
    timestamp: new Date(start + at).toISOString(),
    service: 'ldap',
    document: '{}',
  }))
  await app.db.tx(organizationId, (tx) => insertPastEvents(tx, organizationId, events))
  const left: number[] = []
  const stepped = progressReport(app.db, (progress) => left.push(progress.left), 0)
  await sealOrganization(app.db, organizationId, { size: 10, least: 10, stepped })
  assert.deepEqual(left, [25, 15, 5])
  const never = progressReport(app.db, () => assert.fail('a short run is not reported'))
  await never(organizationId, Date.now())
})
