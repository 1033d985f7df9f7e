import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asOwner } from '../../../test/cluster.ts'
import { newDatabase } from '../../../test/database.ts'
import { readMigrations } from '../db/migrate.ts'
import { newId } from '../ids.ts'

test('bulk jobs from before there were batches keep their rows and continue', async () => {
  const { owner } = await newDatabase({ empty: true })
  const migrations = readMigrations()
  const at = migrations.findIndex(({ name }) => name === '0030_batches.sql')
  await asOwner(owner, async (client) => {
    for (const { text } of migrations.slice(0, at)) await client.query(text)
    const org = newId()
    const jobs = { finished: newId(), interrupted: newId(), waiting: newId() }
    const results = [
      [jobs.finished, 1, 'Finished', 'created', null, { success: true, userId: 'u' }],
      [jobs.finished, 2, 'Finished', 'email: taken', null, { success: false, reason: 'taken' }],
      [jobs.interrupted, 1, 'Finished', 'updated', null, { success: true, userId: 'u' }],
      [jobs.interrupted, 2, 'Pending', '', 'sealed', {}],
      [jobs.waiting, 1, 'Pending', '', null, {}],
    ]
    for (const [name, id] of Object.entries(jobs))
      await client.query(
        `insert into bulk_jobs (organization_id, id, kind, creation_source, mail_to, started_by, finished_at)
         values ($1, $2, 'update', 'gatehouse:bulk', $3, '{"a": 1}', $4)`,
        [
          org,
          id,
          name === 'waiting' ? null : 'a@example.com',
          name === 'finished' ? new Date() : null,
        ],
      )
    for (const [job, position, status, message, password, meta] of results)
      await client.query(
        `insert into bulk_job_results
           (organization_id, job_id, id, position, status, status_msg, persisted_fields, password, meta)
         values ($1, $2, $3, $4, $5, $6, '{"id": "x"}', $7, $8)`,
        [org, job, newId(), position, status, message, password, meta],
      )
    await client.query(migrations[at]!.text)

    const { rows: batches } = await client.query(
      `select id, kind, state, input, started_by, total, summary, started_at is not null as started,
              finished_at is not null as finished
         from batches where organization_id = $1`,
      [org],
    )
    const input = { operation: 'update', source: 'gatehouse:bulk', mailTo: 'a@example.com' }
    const common = { kind: 'users.bulk', input, started_by: { a: 1 }, total: 2 }
    const expected = {
      finished: {
        ...common,
        state: 'finished',
        summary: { total: 2, failed: 1 },
        started: true,
        finished: true,
      },
      interrupted: { ...common, state: 'running', summary: null, started: true, finished: false },
      waiting: {
        ...common,
        input: { ...input, mailTo: null },
        state: 'queued',
        total: 1,
        summary: null,
        started: false,
        finished: false,
      },
    }
    for (const [name, id] of Object.entries(jobs)) {
      const { id: _id, ...found } = batches.find((batch) => batch.id === id)
      assert.deepEqual(found, expected[name as keyof typeof expected], name)
    }
    const { rows } = await client.query(
      `select batch_id, position, status, status_msg, secret, success, result, input from batch_rows
        where organization_id = $1`,
      [org],
    )
    assert.equal(rows.length, results.length)
    for (const [job, position, status, message, secret, meta] of results) {
      const { success = null, ...result } = meta as { success?: boolean }
      assert.deepEqual(
        rows.find((row) => row.batch_id === job && row.position === position),
        {
          batch_id: job,
          position,
          status,
          status_msg: message,
          secret,
          success,
          result,
          input: { id: 'x' },
        },
      )
    }
    const { rows: old } = await client.query("select to_regclass('bulk_jobs') as jobs")
    assert.equal(old[0].jobs, null)
  })
})
