import { checkRightsLeft, presentRights } from '../admins/index.ts'
import type { Caller } from '../platform/caller.ts'
import type { Db } from '../platform/db/index.ts'
import { checkScope } from '../platform/rights.ts'
import type { ConnectionRow } from './connection-store.ts'
import { readsGroups } from './evaluate.ts'
import { READ_USERS } from './route-parts.ts'
import type { Settings } from './settings.ts'

// A connection sends people's attributes to an address of whoever configures it. So this takes the right to read users,
// and the connection runs for as long as that right is held.

type Reads = Pick<Settings, 'groups' | 'mapping'>

const READ_GROUPS = ['groups', 'groups.readonly']
const needsGroups = ({ groups, mapping }: Reads) => groups.push || readsGroups(mapping)

/** The routes take the right to read users; whether groups are read is known with the settings. */
export function checkGroups({ initiator, scopes }: Caller, settings: Reads): void {
  // The demo; a system that signs its requests reaches no connection.
  if (initiator.type === 'system') return
  if (needsGroups(settings)) checkScope({ scopes }, READ_GROUPS, 'a connection that sends groups')
}

/** Throws once the rights with which the connection was set up no longer suffice. */
export async function checkRights(
  db: Db,
  { organization_id, rights, settings }: ConnectionRow,
): Promise<void> {
  if (!rights) return
  const present = await presentRights(db, organization_id, rights)
  const wanted = [READ_USERS, ...(needsGroups(settings) ? [READ_GROUPS] : [])]
  checkRightsLeft(present, wanted, 'the connection')
}
