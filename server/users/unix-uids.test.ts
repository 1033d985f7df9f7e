import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { UnixUids } from './unix-uids.ts'

const app = await startApp()

test('numbers of one process follow each other; those of two never meet', async () => {
  const { organizationId } = await app.newOrganization()
  const [one, other] = [new UnixUids(), new UnixUids()]
  assert.equal(await one.take(app.db, organizationId), 5001)
  assert.equal(await one.take(app.db, organizationId), 5002)
  const many = await Promise.all(
    Array.from({ length: 60 }, (_, at) => (at % 2 ? one : other).take(app.db, organizationId)),
  )
  assert.equal(new Set([5001, 5002, ...many]).size, 62)
})
