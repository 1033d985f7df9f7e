import type { RowSink } from '../../platform/db/copy-out.ts'

/** PostgreSQL counts microseconds from the year 2000. */
const EPOCH_2000 = Date.UTC(2000, 0, 1)

/** A timestamptz in milliseconds. */
export const readTime = (bytes: Buffer): number =>
  EPOCH_2000 + Math.round((bytes.readInt32BE(0) * 4_294_967_296 + bytes.readUInt32BE(4)) / 1000)

export const readUuid = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

export const uuidBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex')

/** Collects the rows of a binary COPY as the bytes of their columns; none may be null. */
export class BinaryRows implements RowSink {
  readonly rows: Buffer[][] = []

  row(bytes: Buffer, row: number): void {
    const columns = bytes.readInt16BE(row)
    const values: Buffer[] = []
    let at = row + 2
    for (let column = 0; column < columns; column++) {
      const end = at + 4 + bytes.readInt32BE(at)
      values.push(Buffer.from(bytes.subarray(at + 4, end)))
      at = end
    }
    this.rows.push(values)
  }
}
