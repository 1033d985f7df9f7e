import { createPartitions } from '../server/insights/index.ts'
import { findProvider } from '../server/organizations/index.ts'
import type { Tx } from '../server/platform/db/index.ts'
import { sql } from '../server/platform/db/sql.ts'
import type { Runtime } from '../server/runtime.ts'
import { seedAdministrators } from './administrators.ts'
import { seedApplications } from './applications.ts'
import { seedCommands } from './commands.ts'
import {
  credentialsFileExists,
  emptyCredentials,
  writeCredentials,
  writePrivateKeys,
} from './credentials.ts'
import { seedEvents } from './events.ts'
import { seedGroups } from './groups.ts'
import { PROVIDER } from './names.ts'
import { seedOrganizations } from './organizations.ts'
import { seedSystems } from './systems.ts'
import { seedUsers } from './users.ts'
import { DAYS, describeWorld, type World } from './world.ts'

export { connectPeople } from './people-api.ts'
export { createDemoLab } from './scim-lab.ts'

export interface DemoOptions {
  baseUrl: string
  dataDir: string
  progress?: (line: string) => void
  /** The end of the month of events. */
  now?: number
}

/** Seeds one area of the demo; later areas may use data of earlier ones. */
type Area = (tx: Tx, world: World) => Promise<string>

const AREAS: Area[] = [
  seedOrganizations,
  seedAdministrators,
  seedUsers,
  seedSystems,
  seedGroups,
  seedCommands,
  seedApplications,
  seedEvents,
]

/**
 * Loads the demo data once. The fixed id of the provider marks it as loaded. Everything is one transaction, so a
 * load that is killed leaves nothing behind.
 */
export async function loadDemo(
  runtime: Pick<Runtime, 'db' | 'sealer'>,
  options: DemoOptions,
): Promise<'loaded' | 'already there'> {
  const { db, sealer } = runtime
  const { baseUrl, dataDir, progress = () => {}, now = Date.now() } = options
  // Separately: it is idempotent, and its locks would block every writer until the load commits.
  await createPartitions(db, new Date(now - DAYS * 86_400_000), new Date(now))

  const world = await db.tx(null, async (tx) => {
    // Two processes may load at the same time, and a load exceeds the usual statement timeout.
    await tx.run(sql`set local statement_timeout = 0`)
    await tx.run(sql`select pg_advisory_xact_lock(4718236058)`)
    if (await findProvider(tx, PROVIDER.id)) return null
    const world = describeWorld(now, emptyCredentials(baseUrl), sealer)
    for (const seed of AREAS) progress(await seed(tx, world))
    return world
  })
  if (world === null) {
    if (!credentialsFileExists(dataDir))
      progress(
        'The demo data is loaded, but its credentials file is gone, and the database stores only hashes. Start with an empty data directory to get new credentials.',
      )
    return 'already there'
  }
  await writePrivateKeys(dataDir, world.privateKeys)
  progress(`Credentials are in ${await writeCredentials(dataDir, world.credentials)}`)
  return 'loaded'
}
