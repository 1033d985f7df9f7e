import { createHmac, type Hmac, hkdfSync } from 'node:crypto'
import { OperatorError } from '../../server/platform/errors.ts'
import { sameSecret } from '../../server/platform/secrets.ts'

// An archive is gzip over frames: a letter for the kind, four bytes for the length, the content.
//   H  header, JSON
//   T  a table begins, JSON; then D its rows in PostgreSQL's COPY text format, cut anywhere; then E, JSON
//   S  HMAC-SHA-256 over all bytes before, under a key derived from the master key

export const FORMAT = 'gatehouse-backup'
export const VERSION = 1
export const MAX_FRAME = 1 << 20

export type FrameKind = 'H' | 'T' | 'D' | 'E' | 'S'
export interface Frame {
  kind: FrameKind
  body: Buffer
}

export interface Header {
  format: string
  version: number
  /** Version of the program that wrote it, so that the operator knows which one can read it. */
  program: string
  /** Schema version of the database. */
  schema: number
  created: string
  /** Identifies the master key without revealing anything about it. */
  keyCheck: string
}

export interface TableStart {
  schema: string
  name: string
  columns: string[]
  /** Partitions that the table needs before its rows are loaded. */
  partitions?: { from: string; to: string }
}

export interface TableEnd {
  rows: number
}

const derive = (master: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', master, '', `gatehouse backup ${purpose}`, 32))

export const keyCheck = (master: Buffer, created: string): string =>
  createHmac('sha256', derive(master, 'key check')).update(created).digest('base64')

export const newSeal = (master: Buffer): Hmac => createHmac('sha256', derive(master, 'seal'))

export function frameHead({ kind, body }: Frame): Buffer {
  const head = Buffer.alloc(5)
  head.write(kind, 'latin1')
  head.writeUInt32BE(body.length, 1)
  return head
}

export function checkMasterKey(header: Header, master: Buffer): void {
  if (sameSecret(header.keyCheck, keyCheck(master, header.created))) return
  throw new OperatorError(
    'The archive was made under another master key; set GATEHOUSE_MASTER_KEY to that key (or put its file into the data directory) and restore again',
  )
}
