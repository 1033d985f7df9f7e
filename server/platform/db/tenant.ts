import { isId } from '../ids.ts'

/** Null: tables without a tenant. */
export type Tenant = string | readonly string[] | null

/**
 * SET LOCAL, not set_config(): Citus propagates only the former to its shards. An id is hex by its
 * check, so it can stand in the text.
 */
export function setTenant(tenant: string | readonly string[]): string {
  const ids = typeof tenant === 'string' ? [tenant] : tenant
  if (!ids.every(isId)) throw new Error('A tenant id must be 24 hex characters')
  return `set local "app.organization_id" = '${ids.join(',')}'`
}

/** The start of a transaction; `timeoutMs` bounds each of its statements, without it that of the connection does. */
export const begin = (tenant: Tenant, timeoutMs?: number): string =>
  [
    'begin',
    ...(tenant === null ? [] : [setTenant(tenant)]),
    ...(timeoutMs === undefined ? [] : [`set local statement_timeout = ${timeoutMs}`]),
  ].join('; ')
