import type { Tx } from '../platform/db/index.ts'
import type { UserRow } from '../users/index.ts'
import type { ReportContext } from './context.ts'

/** A row of a report: the value of each column, in their order. */
export type Row = unknown[]

export interface Content {
  columns: readonly string[]
  walk: Walk
}

/** Takes some rows in the transaction that read them. */
type Take = (tx: Tx, rows: Row[]) => Promise<void>
type Walk = (context: ReportContext, organizationId: string, take: Take) => Promise<void>

/** Records that are held at once. */
const PAGE = 500

/** Page after page, each in a transaction of its own: no report holds up the upkeep of the database. */
export const walkPages =
  <T extends { id: string }>(
    read: (tx: Tx, organizationId: string, after: string, limit: number) => Promise<T[]>,
    each: (context: ReportContext, tx: Tx, page: T[], take: Take) => Promise<void>,
  ): Walk =>
  async (context, organizationId, take) => {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const from: string = after
      after = await context.db.tx(organizationId, async (tx) => {
        const page = await read(tx, organizationId, from, PAGE)
        if (page.length > 0) await each(context, tx, page, take)
        return page.length < PAGE ? undefined : page.at(-1)!.id
      })
    }
  }

/** Every row about somebody begins with these. */
export const PERSON = [
  'user_object_id',
  'username',
  'email',
  'firstname',
  'lastname',
  'employee_identifier',
  'department',
  'user_state',
]
export const personOf = (row: UserRow): Row => [
  row.id,
  row.username,
  row.email,
  row.firstname,
  row.lastname,
  row.employee_identifier,
  row.profile.department ?? '',
  row.state,
]
