import { type Config, loadConfig } from '../server/platform/config.ts'
import { requireDatabase } from '../server/platform/database.ts'
import { type Db, openDb } from '../server/platform/db/index.ts'
import { existingMasterKey, Sealer } from '../server/platform/secrets.ts'
import { command } from './command.ts'
import { readKeyFile, rotateMasterKey } from './master-key.ts'
import { print, progressLine } from './output.ts'
import { oneRotation, rotateDataKey } from './rotation.ts'
import { migrateDatabase, withDatabase } from './runtime.ts'

/** As the owner of the tables, who sees the rows of all tenants, and without a statement timeout. */
const withOwner = (config: Config, use: (db: Db) => Promise<void>): Promise<void> =>
  withDatabase(config, async (database) => {
    await migrateDatabase(database)
    const db = openDb(database.owner, { max: 3, statementTimeoutMs: 0 })
    try {
      await oneRotation(db, () => use(db))
    } finally {
      await db.close()
    }
  })

async function rotateData(db: Db, master: Buffer, json: boolean): Promise<void> {
  const sealer = await Sealer.open(master, db)
  const progress = progressLine()
  const rotation = await rotateDataKey(db, sealer, (rows) => progress.show(`${rows} re-encrypted`))
  progress.done()
  print(json, rotation, () => [
    `Data key ${rotation.key} is in use. Values re-encrypted: ${rotation.resealed}. Old keys deleted: ${rotation.removedKeys}.`,
  ])
}

export const verb = {
  rotate: command({
    about:
      'Re-encrypts all stored secrets under a new data key, or the data keys under a new master key.',
    options: {
      'master-key-file': {
        type: 'string',
        value: 'FILE',
        about: 'Change the master key instead, to the one in FILE (32 bytes in base64)',
      },
    },
    notes: ['Running servers need not be stopped.'],
    json: true,
    async run({ options, json }) {
      const config = loadConfig()
      requireDatabase(config)
      const newKeyFile = options['master-key-file']
      const fresh = newKeyFile === undefined ? null : readKeyFile(newKeyFile)
      const master = existingMasterKey(config.masterKey, config.dataDir)
      await withOwner(config, async (db) => {
        if (fresh === null) return rotateData(db, master, json)
        const { rewrapped, file } = await rotateMasterKey(db, config, master, fresh)
        print(json, { rewrapped, file }, () => [
          `Data keys encrypted under the new master key: ${rewrapped}.`,
          file === null
            ? `Set GATEHOUSE_MASTER_KEY to the content of ${newKeyFile} before the next start.`
            : `${file} holds the new master key.`,
          'Restart running servers. Earlier backups still need the old master key.',
        ])
      })
    },
  }),
}
