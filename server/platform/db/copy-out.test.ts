import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { newDatabase } from '../../../test/database.ts'
import { CopyOut, type RowSink } from './copy-out.ts'
import { clientConfig } from './index.ts'

const { service } = await newDatabase()

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(clientConfig(service))
  await client.connect()
  return client
}

/** The texts of a column. */
class Texts implements RowSink {
  readonly texts: string[] = []
  row(bytes: Buffer, at: number): void {
    this.texts.push(bytes.toString('latin1', at + 6, at + 6 + bytes.readInt32BE(at + 2)))
  }
}

const copy = (client: pg.Client, query: string, sink: RowSink): Promise<void> => {
  const running = new CopyOut(`begin; copy (${query}) to stdout (format binary); commit`, sink)
  client.query(running)
  return running.done
}

test('rows of every size arrive complete, and the connection goes on', async () => {
  const client = await connect()
  const sizes = [0, 1, 100, 8_191, 65_536, 131_072, 1_000_000]
  for (const size of sizes) {
    const sink = new Texts()
    await copy(
      client,
      `select repeat(chr(65 + n % 26), ${size}) from generate_series(0, 40) n`,
      sink,
    )
    const expected = Array.from({ length: 41 }, (_, n) =>
      String.fromCharCode(65 + (n % 26)).repeat(size),
    )
    assert.deepEqual(sink.texts, expected, `${size} characters`)
    assert.deepEqual((await client.query('select 1 as one')).rows, [{ one: 1 }])
  }
  const none = new Texts()
  await copy(client, 'select 1 where false', none)
  assert.deepEqual(none.texts, [])
  await client.end()
})

test('an error in the middle, or in the sink, fails the copy and nothing else', async () => {
  const client = await connect()
  const sink = new Texts()
  const failing = copy(client, 'select (1 / (3 - n))::text from generate_series(0, 5) n', sink)
  await assert.rejects(failing, { code: '22012' })
  await client.query('rollback')
  const refuses: RowSink = {
    row() {
      throw new RangeError('too much')
    },
  }
  await assert.rejects(copy(client, 'select 1', refuses), RangeError)
  assert.deepEqual((await client.query('select 1 as one')).rows, [{ one: 1 }])
  await client.end()
})

test('a copy that the driver refuses before it is sent fails, and nothing else does', async () => {
  const client = await connect()
  await client.end()
  await assert.rejects(copy(client, 'select 1', new Texts()), /not queryable/)
})
