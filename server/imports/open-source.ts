import { type ImportContext, secretContext } from './context.ts'
import { readFile } from './file-store.ts'
import { type SourceRow, saveQuirks } from './source-store.ts'
import { openSource } from './sources/open.ts'
import type { Source } from './sources/source.ts'

/** The source of an application, ready to be read. */
export async function openSourceOf(
  { db, sealer, outbound, wait }: ImportContext,
  row: SourceRow,
): Promise<Source> {
  const { organization_id: organizationId, application_id: applicationId } = row
  const key = { organizationId, applicationId }
  const tenant = db.tenant(organizationId)
  const secret =
    row.secret === null ? null : await sealer.unseal(row.secret, secretContext(applicationId))
  return openSource(row.settings.source, secret, {
    outbound,
    throttleKey: `import ${applicationId}`,
    readFile: () => readFile(tenant, key),
    quirks: row.quirks,
    ...(wait && { wait }),
    onQuirk: (learnt) => {
      // Learnt again by the next request if it cannot be saved.
      saveQuirks(tenant, key, learnt).catch(() => {})
    },
  })
}
