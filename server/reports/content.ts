import type { Tx } from '../platform/db/index.ts'
import type { UserRow } from '../users/index.ts'
import type { ReportContext } from './context.ts'

/** The values of a report row, in column order. */
export type Row = unknown[]

export interface Content {
  columns: readonly string[]
  walk: Walk
}

/** Writes rows in the transaction that read them. */
type Take = (tx: Tx, rows: Row[]) => Promise<void>
type Walk = (context: ReportContext, organizationId: string, take: Take) => Promise<void>

/** Records held in memory at once. */
const PAGE = 500

/** One transaction per page: a long transaction would hold back vacuum. */
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

/** The leading columns of every row about a user. */
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
