import { createHash, type Hash } from 'node:crypto'
import { SourceFailure } from './failures.ts'
import type { SourceRecord } from './source.ts'

const changed = () =>
  new SourceFailure('rejected', 'The list changed between two attempts to read it')

function add(hash: Hash, records: SourceRecord[]): void {
  for (const record of records) hash.update(JSON.stringify(record))
}
const digestOf = (hash: Hash): string => hash.copy().digest('base64')

/**
 * The records of one page that were delivered. Another attempt at the page must begin with the same ones, or a record
 * could be left out unnoticed.
 */
export class Delivered {
  readonly #all = createHash('sha256')
  #count = 0
  #again = createHash('sha256')
  #received = 0

  get count(): number {
    return this.#count
  }

  digest(): string {
    return digestOf(this.#all)
  }

  startAgain(): void {
    this.#again = createHash('sha256')
    this.#received = 0
  }

  /** The records that are new. */
  fresh(batch: SourceRecord[]): SourceRecord[] {
    const known = batch.slice(0, this.#count - this.#received)
    const rest = batch.slice(known.length)
    add(this.#again, known)
    this.#received += batch.length
    const caughtUp = known.length > 0 && this.#received >= this.#count
    if (caughtUp && digestOf(this.#again) !== this.digest()) throw changed()
    add(this.#all, rest)
    this.#count += rest.length
    return rest
  }

  end(): void {
    if (this.#received < this.#count) throw changed()
  }
}
