import { addNode } from '../graph/index.ts'
import type { Tx } from '../platform/db/index.ts'
import { rowOf } from './actions.ts'
import { insertResult, type ResultRow } from './result-store.ts'
import type { CommandWrite } from './schema.ts'
import { insertCommand } from './store.ts'

// Rows without events, for the demo world.

export async function seedCommand(
  tx: Tx,
  organizationId: string,
  id: string,
  body: CommandWrite,
): Promise<void> {
  await insertCommand(tx, rowOf(organizationId, id, body))
  await addNode(tx, organizationId, 'command', id)
}

export const seedResult = (tx: Tx, row: ResultRow) => insertResult(tx, row, row.response_time)
