import { AppError, messageOf } from './errors.ts'

/** Failures that are spelled out in the message; the log has them all. */
const MAX_NAMED = 5

/**
 * Upkeep of all tenants, one after the other. One that fails does not keep the rest from their turn; at the end the
 * failures are thrown together, so that the job is logged, counted as failed and retried. Without a database there is
 * no point in going on.
 */
export async function forEachTenant(
  tenantIds: readonly string[],
  work: (tenantId: string) => Promise<unknown>,
): Promise<void> {
  const failures: Error[] = []
  for (const tenantId of tenantIds) {
    try {
      await work(tenantId)
    } catch (cause) {
      if (cause instanceof AppError && cause.reason === 'database_unavailable') throw cause
      failures.push(new Error(`${tenantId}: ${messageOf(cause)}`, { cause }))
    }
  }
  if (failures.length === 0) return
  const named = failures.slice(0, MAX_NAMED).map(({ message }) => message)
  const more = failures.length > MAX_NAMED ? '; …' : ''
  throw new AggregateError(
    failures,
    `Failed for ${failures.length} of ${tenantIds.length} tenants: ${named.join('; ')}${more}`,
  )
}
