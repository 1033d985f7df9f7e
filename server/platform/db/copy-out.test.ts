import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { newDatabase } from '../../../test/database.ts'
import { asQuery, CopyOut } from './copy-out.ts'
import type { DatabaseSocket } from './database-socket.ts'
import { clientConfig } from './index.ts'

function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}

/** A row of one column. */
function row(text: string): Buffer {
  const head = Buffer.alloc(6)
  head.writeInt16BE(1)
  head.writeInt32BE(text.length, 2)
  return Buffer.concat([head, Buffer.from(text)])
}

test('rows arrive complete, however the bytes are split; later messages go to the driver', () => {
  const texts = Array.from({ length: 40 }, (_, at) => String(at).repeat(at + 1))
  const [first, ...others] = texts.map(row)
  const end = Buffer.from([0xff, 0xff])
  const header = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)])
  const copied = Buffer.concat([
    message('C', Buffer.from('BEGIN\0')),
    message('H', Buffer.from([1, 0, 1, 0, 1])),
    message('d', Buffer.concat([header, first!])),
    ...others.map((bytes) => message('d', bytes)),
    message('d', end),
    message('c', Buffer.alloc(0)),
  ])
  const after = Buffer.concat([
    message('C', Buffer.from('COPY 40\0')),
    message('Z', Buffer.from('I')),
  ])
  const all = Buffer.concat([copied, after])
  for (let seed = 1; seed < 300; seed++) {
    const rows: string[] = []
    const left: Buffer[] = []
    const socket = { divert: null, push: (bytes: Buffer) => left.push(bytes) }
    const stream = socket as unknown as DatabaseSocket
    const copy = new CopyOut('copy', {
      row: (bytes, at) =>
        rows.push(bytes.toString('latin1', at + 6, at + 6 + bytes.readInt32BE(at + 2))),
      flush() {},
    })
    copy.submit({ stream, query() {} })
    for (let from = 0, turn = seed; from < all.length; turn = (turn * 48_271) % 2_147_483_647) {
      const piece = Buffer.from(all.subarray(from, from + 1 + (turn % (1 + (seed % 100)))))
      from += piece.length
      if (stream.divert) stream.divert(piece)
      else left.push(Buffer.from(piece))
      // The socket reuses its buffer for the next chunk.
      piece.fill(0)
    }
    assert.deepEqual(rows, texts, `seed ${seed}`)
    assert.ok(Buffer.concat(left).equals(after), `seed ${seed}`)
  }
})

test('a copy that the driver refuses before it is sent fails, and nothing else does', async () => {
  const { service } = await newDatabase()
  const client = new pg.Client(clientConfig(service))
  await client.connect()
  await client.end()
  const copy = new CopyOut('copy (select 1) to stdout (format binary)', { row() {}, flush() {} })
  client.query(asQuery(copy))
  await assert.rejects(copy.done, /not queryable/)
})
