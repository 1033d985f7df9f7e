import { getApplicationRow } from '../applications/index.ts'
import type { Caller } from '../platform/caller.ts'
import type { Queryable } from '../platform/db/index.ts'
import { notFound } from '../platform/errors.ts'
import type { ImportContext } from './context.ts'
import type { SourceKey } from './link-store.ts'
import { findSource, type SourceRow } from './source-store.ts'

export const importNotFound = () =>
  notFound('import_not_found', 'Not Found: the application has no import source')

export const sourceKey = ({ organizationId }: Caller, applicationId: string): SourceKey => ({
  organizationId,
  applicationId,
})

export async function applicationOf(
  tx: Queryable,
  { organizationId, applicationId }: SourceKey,
): Promise<{ id: string; name: string; active: boolean }> {
  const row = await getApplicationRow(tx, organizationId, applicationId)
  return { id: row.id, name: row.display_label || row.name, active: row.active }
}

/** 404 for an unknown application, and for one without a source. */
export async function getSource(
  { db }: Pick<ImportContext, 'db'>,
  key: SourceKey,
): Promise<SourceRow> {
  const tenant = db.tenant(key.organizationId)
  await applicationOf(tenant, key)
  const row = await findSource(tenant, key.organizationId, key.applicationId)
  if (!row) throw importNotFound()
  return row
}
