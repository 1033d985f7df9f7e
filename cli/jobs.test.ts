import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { installation, runJsonCli } from '../test/cli.ts'
import { asOwner } from '../test/cluster.ts'

test('jobs list shows queues and failed jobs; jobs retry runs them again', async () => {
  const place = await installation({ migrated: true })
  assert.equal((await place.run('jobs', 'list', '--failed')).stdout, 'No failed jobs.\n')
  const [mail, digests] = [randomUUID(), randomUUID()]
  await asOwner(place.owner, (client) =>
    client.query(
      `insert into pgboss.job (id, name, state, retry_count, retry_limit, output, completed_on) values
         ($1, 'platform.send-mail', 'failed', 100, 100, '{"message": "no such\\nhost"}', now()),
         ($2, 'insights.seal-events', 'retry', 3, 1000000000, '{"message": "away"}', null)`,
      [mail, digests],
    ),
  )
  const queues: { name: string; failed: number; retrying: number }[] = await runJsonCli(place.env, [
    'jobs',
    'list',
  ])
  const counts = Object.fromEntries(
    queues.map(({ name, retrying, failed }) => [name, [retrying, failed]]),
  )
  assert.deepEqual(counts['platform.send-mail'], [0, 1])
  assert.deepEqual(counts['insights.seal-events'], [1, 0])
  const { stdout } = await place.run('jobs', 'list', '--failed')
  assert.match(
    stdout,
    new RegExp(`^${mail} +platform.send-mail +failed +101 .* no such host$`, 'm'),
  )
  assert.match(stdout, new RegExp(`^${digests} +insights.seal-events +retrying +4 .* away$`, 'm'))

  const unknown = await place.run('jobs', 'retry', 'platform.no-such-queue')
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /^gatehouse: No failed job matches [^\n]*\n$/)
  assert.equal((await place.run('jobs', 'retry', mail)).stdout, '1 job will run again.\n')
  assert.deepEqual(await place.runJson('jobs', 'retry', 'all'), { retried: 2 })
  const { rows } = await asOwner(place.owner, (client) =>
    client.query(
      `select state::text, retry_count, start_after <= now() as due, completed_on from pgboss.job
        where id in ($1, $2)`,
      [mail, digests],
    ),
  )
  assert.deepEqual(
    rows,
    Array(2).fill({ state: 'retry', retry_count: 0, due: true, completed_on: null }),
  )
})
