import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDatabase } from '../../../test/database.ts'
import { newId } from '../ids.ts'
import { clientConfig } from './index.ts'
import { SharedReads } from './shared-reads.ts'
import { sql } from './sql.ts'

const { service } = await newDatabase()

test('the same statement of two tenants has two results', async (t) => {
  const reads = new SharedReads(clientConfig(service), (error) => error)
  t.after(() => reads.close())
  const tenants = [newId(), newId()]
  const answers = await Promise.all(
    tenants.map((id) =>
      reads.read(
        `set local "app.organization_id" = '${id}'`,
        sql`select current_setting('app.organization_id') as id`,
      ),
    ),
  )
  assert.deepEqual(
    answers.map(({ rows }) => rows[0]),
    tenants.map((id) => ({ id })),
  )
})

test('a failing statement gets a translated error, and the others their results', async (t) => {
  const reads = new SharedReads(clientConfig(service), () => new Error('translated'))
  t.after(() => reads.close())
  const divide = (by: number) => reads.read(null, sql`select 12 / ${by}::int as n`)
  const outcomes = await Promise.allSettled([divide(3), divide(0), divide(4)])
  assert.deepEqual(
    outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value.rows[0] : outcome.reason.message,
    ),
    [{ n: 4 }, 'translated', { n: 3 }],
  )
})
