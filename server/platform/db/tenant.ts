import { isId } from '../ids.ts'

/** Null for tables without a tenant. */
export type Tenant = string | readonly string[] | null

/**
 * SET LOCAL, not set_config(): Citus propagates only the former to its shards. Ids are checked to be hex, so they are
 * safe to inline.
 */
export function setTenant(tenant: string | readonly string[]): string {
  const ids = typeof tenant === 'string' ? [tenant] : tenant
  if (!ids.every(isId)) throw new Error('A tenant id must be 24 hex characters')
  return `set local "app.organization_id" = '${ids.join(',')}'`
}

/** Starts a transaction; `timeoutMs` limits each statement and defaults to the connection's. */
export const begin = (tenant: Tenant, timeoutMs?: number): string =>
  [
    'begin',
    ...(tenant === null ? [] : [setTenant(tenant)]),
    ...(timeoutMs === undefined ? [] : [`set local statement_timeout = ${timeoutMs}`]),
  ].join('; ')

/** Starts a transaction that only reads, and always the same state. */
export const beginSnapshot = (tenant: string | readonly string[]): string =>
  `begin isolation level repeatable read read only; ${setTenant(tenant)}`
