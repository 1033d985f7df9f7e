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

export interface DemoOptions {
  baseUrl: string
  dataDir: string
  progress?: (line: string) => void
  /** The end of the month of events. */
  now?: number
}

/** What one area of the demo puts into the database; later ones may use what earlier ones left in the world. */
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
 * Loads the demo world once. The provider's id is fixed and is the mark that the world is there; everything is
 * one transaction, so a load that is killed leaves nothing behind.
 */
export async function loadDemo(
  runtime: Pick<Runtime, 'db' | 'sealer'>,
  options: DemoOptions,
): Promise<'loaded' | 'already there'> {
  const { db, sealer } = runtime
  const { baseUrl, dataDir, progress = () => {}, now = Date.now() } = options
  // On its own: it is harmless to repeat, and its locks would stop every writer until the load commits.
  await createPartitions(db, new Date(now - DAYS * 86_400_000), new Date(now))

  const world = await db.tx(null, async (tx) => {
    // Two processes may be told to load at the same moment; a load takes longer than other statements may.
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
        'The demo world is there, but its credentials file is gone; keys are kept as hashes only. Start with an empty data directory to get new ones.',
      )
    return 'already there'
  }
  await writePrivateKeys(dataDir, world.privateKeys)
  progress(`Credentials are in ${await writeCredentials(dataDir, world.credentials)}`)
  return 'loaded'
}
