import type { Queryable } from '../platform/db/index.ts'
import { toCommandSummary } from './records.ts'
import { findCommands } from './store.ts'

/** Members of commands, for traversals that request details. */
export async function commandDetails(
  db: Queryable,
  organizationId: string,
  ids: string[],
): Promise<Map<string, object>> {
  const rows = await findCommands(db, organizationId, ids)
  return new Map(
    rows.map((row) => {
      const { _id: _, id: __, ...members } = toCommandSummary(row)
      return [row.id, members]
    }),
  )
}

export async function commandNames(
  db: Queryable,
  organizationId: string,
  ids: string[],
): Promise<Map<string, string>> {
  const rows = await findCommands(db, organizationId, ids)
  return new Map(rows.map((row) => [row.id, row.name]))
}
