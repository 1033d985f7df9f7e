import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import { conflict, invalid } from '../platform/errors.ts'
import type { SourceKey } from './link-store.ts'

export const saveFile = (
  tx: Queryable,
  { organizationId, applicationId }: SourceKey,
  name: string,
  content: Buffer,
) =>
  tx.run(sql`
    insert into import_files (organization_id, application_id, name, content)
    values (${organizationId}, ${applicationId}, ${name}, ${content})
    on conflict (organization_id, application_id)
      do update set name = excluded.name, content = excluded.content, created = now()`)

export const describeFile = (db: Queryable, { organizationId, applicationId }: SourceKey) =>
  db.one<{ name: string; bytes: number; created: string }>(sql`
    select name, octet_length(content) as bytes, created from import_files
     where organization_id = ${organizationId} and application_id = ${applicationId}`)

const PART = 262_144

/** In parts, so that a large file is never in memory as a whole. Ends early when another file replaces it. */
export async function* readFile(db: Queryable, key: SourceKey): AsyncGenerator<Buffer> {
  const { organizationId, applicationId } = key
  const file = await describeFile(db, key)
  if (!file) throw invalid('file_missing', 'Upload a file first')
  for (let from = 1; from <= file.bytes; from += PART) {
    const row = await db.one<{ part: Buffer }>(sql`
      select substring(content from ${from} for ${PART}) as part from import_files
       where organization_id = ${organizationId} and application_id = ${applicationId} and created = ${file.created}`)
    if (!row) throw conflict('file_replaced', 'Another file was uploaded in the meantime')
    yield row.part
  }
}

export const purgeFiles = (tx: Queryable, organizationId: string, before: Date) =>
  tx.run(sql`
    delete from import_files where organization_id = ${organizationId} and created < ${before}`)
