import type pg from 'pg'
import { loadConfig } from '../server/platform/config.ts'
import { requireDatabase } from '../server/platform/database.ts'
import { OperatorError } from '../server/platform/errors.ts'
import { checkTarget } from '../server/platform/files.ts'
import { existingMasterKey, unwrapKey } from '../server/platform/secrets.ts'
import { FORMAT, type Header, keyCheck, VERSION } from './archive/format.ts'
import { withOwnerClient } from './archive/session.ts'
import { writeArchive } from './archive/write.ts'
import { command } from './command.ts'
import { print, progressLine } from './output.ts'
import { programVersion } from './program-version.ts'
import { withDatabase } from './runtime.ts'

/** The master key must be the one that decrypts these secrets, or the archive's check value would be wrong. */
async function checkKey(client: pg.Client, master: Buffer): Promise<void> {
  const { rows } = await client.query<{ id: string; wrapped: Buffer }>(
    'select id, wrapped from data_keys',
  )
  for (const { id, wrapped } of rows) unwrapKey(master, id, wrapped)
}

/** Does not migrate: a backup before an upgrade must not perform the upgrade. */
async function readSchema(client: pg.Client): Promise<number> {
  const { rows: tables } = await client.query("select to_regclass('schema_migrations') as found")
  if (tables[0].found === null)
    throw new OperatorError('There is nothing to back up: the database is empty')
  const { rows } = await client.query<{ version: number }>(
    'select max(version) as version from schema_migrations',
  )
  return rows[0]!.version
}

const size = (bytes: number): string =>
  bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`

export const verb = command({
  about: 'Writes the whole database into one compressed file; the service may keep running.',
  operands: ['FILE'],
  notes: [
    'The file can be restored into the embedded PostgreSQL or a server, 15 or newer. The secrets in it',
    'stay encrypted and are useless without the master key, so keep a copy of that key elsewhere.',
  ],
  json: true,
  async run({ operands, json }) {
    const [file] = operands as [string]
    checkTarget(file)
    const config = loadConfig()
    requireDatabase(config)
    const master = existingMasterKey(config.masterKey, config.dataDir)
    const summary = await withDatabase(config, ({ owner }) =>
      withOwnerClient(owner, async (client) => {
        await client.query('begin isolation level repeatable read read only')
        const schema = await readSchema(client)
        await checkKey(client, master)
        const created = new Date().toISOString()
        const header: Header = {
          format: FORMAT,
          version: VERSION,
          program: programVersion(),
          schema,
          created,
          keyCheck: keyCheck(master, created),
        }
        const progress = progressLine()
        const written = await writeArchive(client, file, header, master, (table, bytes) =>
          progress.show(`${table}: ${size(bytes)}`),
        ).finally(progress.done)
        await client.query('commit')
        return written
      }),
    )
    print(json, { file, ...summary }, () => [
      `${file}: ${summary.rows} rows of ${Object.keys(summary.tables).length} tables, ${size(summary.bytes)}.`,
      'A restore also needs the master key, which is not in the file.',
    ])
  },
})
