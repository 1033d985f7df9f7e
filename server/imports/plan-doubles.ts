import { knownKeys, saveResults } from '../platform/batches/row-store.ts'
import type { Batch } from '../platform/batches/store.ts'
import type { Tx } from '../platform/db/index.ts'
import type { RowInput } from './job.ts'
import { messageOf, parked } from './plan-row.ts'
import { repeatedRows } from './plan-store.ts'

/**
 * A record that a service sends twice has moved between two pages, and the later one is current. A file does not change
 * while it is read: there it is a mistake that somebody should see.
 */
export async function parkCopies(tx: Tx, batch: Batch, rows: RowInput[]): Promise<RowInput[]> {
  const seen = await knownKeys(
    tx,
    batch,
    rows.flatMap(({ externalId }) => externalId ?? []),
  )
  return rows.map((row) => {
    const { externalId } = row
    if (externalId === null || !seen.has(externalId)) {
      if (externalId !== null) seen.add(externalId)
      return row
    }
    const message = `externalId: another record of the file has "${externalId}", too`
    return { ...row, externalId: null, plan: parked('claimed_twice', message), unreadable: true }
  })
}

/** Two records of the source cannot be one user: the first counts. */
export async function parkRepeated(tx: Tx, batch: Batch): Promise<void> {
  for (const field of ['user', 'email', 'username', 'employeeIdentifier'] as const) {
    const rows = await repeatedRows(tx, batch, field)
    if (rows.length === 0) continue
    await saveResults(
      tx,
      batch,
      rows.map(({ position, externalId, holder }) => {
        const message = `${field}: another record of this source, "${holder}", has the same`
        const plan = parked('claimed_twice', message)
        return {
          position,
          success: false,
          message: messageOf(plan),
          result: { ...plan, externalId },
        }
      }),
    )
  }
}
