import { AppError, messageOf } from './errors.ts'

/** Failures named in the error message; the log has them all. */
const MAX_NAMED = 5

/**
 * Runs maintenance for each tenant in turn. A failure does not stop the other tenants; all failures are thrown together
 * at the end, so that the job is logged, counted as failed and retried. Stops at once when the database is unavailable.
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
