import { freeze } from './memo.ts'
import { Recent } from './recent.ts'
import { Sql } from './sql.ts'

/** A row that is asked for again and again, and rarely changes. */
export interface Question {
  columns: string
  /** Another one whenever the row is another one: `xmin`, the transaction that wrote it. */
  version: string
  /** What stands behind `from`. Its text must not vary. */
  from: Sql
}

interface Known {
  version: string
  row: object
}

/** Rows kept for each process. */
const MOST_ROWS = 2000
const noRows = () => new Recent<Known>(MOST_ROWS)

/** Questions of the same key that wait for the same journey are one. */
type Ask = (query: Sql, key: string) => Promise<{ rows: unknown[] }>

/** Whether it is there, and which one. */
const version = ({ version, from }: Question): Sql =>
  new Sql(`select (${version})::text as version from ${from.text}`, from.values, `${from.name}v`)

export const whole = ({ columns, version, from }: Question): Sql =>
  new Sql(
    `select ${columns}, (${version})::text as version from ${from.text}`,
    from.values,
    `${from.name}r`,
  )

/**
 * Remembers rows that were read, each with its version. Whoever asks again still asks the database, under the same
 * conditions, but only for the version: a row that is gone is not found and one that has changed is read anew, while to
 * write out and read in forty columns takes several times as long as to find them.
 */
export class Recall {
  #known = noRows()

  /** Versions mean nothing to another database, and after the loss of a connection it may be another one. */
  forget(): void {
    this.#known = noRows()
  }

  async find<T>(tenant: string, question: Question, ask: Ask): Promise<Readonly<T> | undefined> {
    const known = this.#known
    const key = `${tenant} ${question.from.name} ${question.from.values.map(keyOf).join('\0')}`
    const before = known.get(key)
    if (before) {
      const { rows } = await ask(version(question), key)
      if (rows.length === 0) return undefined
      // Not if it has been forgotten meanwhile.
      if ((rows[0] as Known).version === before.version && this.#known === known)
        return before.row as T
    }
    const { rows } = await ask(whole(question), `whole ${key}`)
    const row = rows[0] as (object & { version: string }) | undefined
    if (!row) return undefined
    // It is handed to everybody who asks.
    known.set(key, { version: row.version, row: freeze(row) })
    return row as T
  }
}

const keyOf = (value: unknown): string =>
  Buffer.isBuffer(value) ? value.toString('base64') : String(value)
