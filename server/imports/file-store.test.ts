import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { connectPeople } from '../../test/imports/world.ts'
import { readFile, saveFile } from './file-store.ts'

const app = await startApp()

test('a file that is replaced while it is read ends the run, which would else mix the two', async () => {
  const source = { kind: 'file', format: 'csv' }
  const { org, id: applicationId } = await connectPeople(app, { url: '' }, { source })
  const key = { organizationId: org.organizationId, applicationId }
  const save = (letter: string) =>
    app.db.tx(org.organizationId, (tx) =>
      saveFile(tx, key, 'people.csv', Buffer.alloc(600_000, letter)),
    )
  await save('a')
  const parts = readFile(app.db.tenant(org.organizationId), key)
  assert.equal(String((await parts.next()).value?.subarray(0, 3)), 'aaa')
  await save('b')
  await assert.rejects(parts.next(), { reason: 'file_replaced' })
})
