import type { Caller } from '../platform/caller.ts'
import { invalid, notFound } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import { getSystem, signForAgents } from '../systems/index.ts'
import type { CommandContext } from './context.ts'
import { fetchQueued, type QueuedRow, takeQueued } from './queue-store.ts'
import { insertResult } from './result-store.ts'
import type { AgentResult } from './schema.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** One member per line, so that a shell can parse it; free text is Base64. */
const orderOf = (row: QueuedRow): string =>
  [
    `id ${row.id}`,
    `system ${row.system_id}`,
    `expires ${Math.floor(Date.parse(row.expires_at) / 1000)}`,
    `timeout ${row.timeout_seconds}`,
    `user ${row.run_as_name}`,
    `command ${base64(row.command)}`,
    `payload ${row.payload === null ? '' : base64(JSON.stringify(row.payload))}`,
    '',
  ].join('\n')

/** By time first: ids of the same second are unordered. */
const byAge = (a: QueuedRow, b: QueuedRow): number =>
  `${a.request_time} ${a.id}` < `${b.request_time} ${b.id}` ? -1 : 1

/** The pending orders of a system, one per line: the order and its signature, both in Base64. */
export async function ordersFor(context: CommandContext, caller: Caller): Promise<string> {
  const { organizationId, id } = caller
  const rows = await fetchQueued(context.db.tenant(organizationId), organizationId, id)
  if (rows.length === 0) return ''
  const orders = rows.sort(byAge).map(orderOf)
  const signatures = await signForAgents(context, organizationId, orders)
  return orders
    .map((order, at) => `${base64(order)} ${signatures[at]!.toString('base64')}\n`)
    .join('')
}

/** Stores the result of an order; a second result is refused. */
export async function takeAnswer(
  { db }: CommandContext,
  caller: Caller,
  id: string,
  { exitCode, output, error }: AgentResult,
): Promise<void> {
  if (exitCode !== null && Math.abs(exitCode) > 2_147_483_647)
    throw invalid('bad_exit_code', 'exitCode: out of range')
  const { organizationId, id: systemId } = caller
  await db.tx(organizationId, async (tx) => {
    const row = isId(id) ? await takeQueued(tx, organizationId, systemId, id) : undefined
    if (!row) throw notFound('order_not_found', 'Not Found: no result is expected for this command')
    const system = await getSystem(tx, organizationId, systemId)
    await insertResult(tx, {
      organization_id: organizationId,
      id: row.id,
      command_id: row.command_id,
      workflow_instance_id: row.workflow_instance_id,
      system_id: systemId,
      system_name: system.display_name || system.hostname,
      name: row.name,
      command: row.command,
      run_as: row.run_as,
      sudo: row.sudo,
      files: [],
      request_time: row.request_time,
      exit_code: exitCode,
      // Output is arbitrary bytes; PostgreSQL text cannot hold NUL.
      output: Buffer.from(output, 'base64').toString('utf8').replaceAll('\0', ''),
      error: error.replaceAll('\0', ''),
    })
  })
}
