import { findGroupsByName, groupsOfUsers } from '../groups/index.ts'
import type { Queryable } from '../platform/db/index.ts'
import { isId } from '../platform/ids.ts'
import { findByEmployeeIdentifiers, findMatches, findUsers, type UserRow } from '../users/index.ts'
import type { References } from './decide.ts'
import type { Incoming } from './incoming.ts'
import { findLinks, linksOfUsers, type SourceKey } from './link-store.ts'
import { type Match, match } from './match.ts'

/** Spares the round trip for nobody: when one row is applied, most of these lists are empty. */
const usersById = async (db: Queryable, organizationId: string, ids: readonly string[]) =>
  ids.length === 0 ? [] : findUsers(db, organizationId, ids)

/** Who the records are, each by the ladder. A few statements, however many records. */
export async function matchAll(
  db: Queryable,
  key: SourceKey,
  records: readonly Incoming[],
): Promise<Match[]> {
  const { organizationId } = key
  const externalIds = records.map(({ externalId }) => externalId)
  const links = await findLinks(db, key, externalIds)
  const linkedIds = links.map(({ user_id }) => user_id)
  const users = new Map<string, UserRow>()
  const remember = async (ids: readonly string[]) => {
    const unknown = [...new Set(ids)].filter((id) => !users.has(id))
    for (const user of await usersById(db, organizationId, unknown)) users.set(user.id, user)
  }
  await remember(linkedIds)
  const byExternalId = new Map(
    links.map(({ external_id, user_id }) => [external_id, users.get(user_id)]),
  )
  // Nobody else has what the linked user has already.
  const asked = records.map(({ externalId, write }) => {
    const linked = byExternalId.get(externalId)
    return {
      email: write.email === linked?.email ? null : (write.email ?? null),
      username: write.username === linked?.username ? null : (write.username ?? null),
      identifier:
        write.employeeIdentifier === linked?.employee_identifier ? null : write.employeeIdentifier,
    }
  })
  const identifiers = asked.flatMap(({ identifier }) => identifier || [])
  // One round trip.
  const [found, identified] = await Promise.all([
    asked.every(({ email, username }) => email === null && username === null)
      ? []
      : findMatches(
          db,
          organizationId,
          asked.map(({ email }) => email),
          asked.map(({ username }) => username),
        ),
    identifiers.length === 0 ? [] : findByEmployeeIdentifiers(db, organizationId, identifiers),
  ])
  await remember([...found, ...identified].map(({ id }) => id))
  const at = {
    email: new Map<number, UserRow | undefined>(),
    username: new Map<number, UserRow | undefined>(),
  }
  for (const { id, place, matched } of found) at[matched].set(place - 1, users.get(id))
  const byIdentifier = new Map(identified.map(({ id, identifier }) => [identifier, users.get(id)]))
  const linked = new Set(linkedIds)
  const unlinked = [...users.keys()].filter((id) => !linked.has(id))
  const linkOf = new Map(
    unlinked.length === 0
      ? []
      : (await linksOfUsers(db, key, unlinked)).map(({ user_id, external_id }) => [
          user_id,
          external_id,
        ]),
  )
  return records.map(({ externalId }, place) =>
    match(externalId, {
      linked: byExternalId.get(externalId),
      byEmail: at.email.get(place),
      byUsername: at.username.get(place),
      byEmployeeIdentifier: byIdentifier.get(asked[place]!.identifier ?? ''),
      linkOf: (userId) => linkOf.get(userId),
    }),
  )
}

/** The users that records name as manager: by external id, by id, by e-mail address, by username. */
export async function findManagers(
  db: Queryable,
  key: SourceKey,
  references: readonly string[],
): Promise<Map<string, string>> {
  const wanted = [...new Set(references)]
  if (wanted.length === 0) return new Map()
  const { organizationId } = key
  const links = await findLinks(db, key, wanted)
  const known = new Map(links.map(({ external_id, user_id }) => [external_id, user_id]))
  const others = wanted.filter((reference) => !known.has(reference))
  if (others.length === 0) return known
  const found = await findMatches(db, organizationId, others, others)
  const ids = await usersById(db, organizationId, others.filter(isId))
  const by = (matched: 'email' | 'username') =>
    found
      .filter((user) => user.matched === matched)
      .map(({ place, id }) => [others[place - 1]!, id] as const)
  // The last one wins.
  return new Map([
    ...by('username'),
    ...by('email'),
    ...ids.map(({ id }) => [id, id] as const),
    ...known,
  ])
}

/** The managers and groups that the records refer to. */
export async function findReferences(
  db: Queryable,
  key: SourceKey,
  records: readonly Incoming[],
  matches: readonly Match[],
): Promise<References[]> {
  const { organizationId } = key
  const managers = await findManagers(
    db,
    key,
    records.flatMap(({ manager }) => manager ?? []),
  )
  const names = [...new Set(records.flatMap(({ groups }) => groups))]
  const groups = new Map<string, string>()
  const memberships = new Set<string>()
  if (names.length > 0) {
    for (const { id, name } of await findGroupsByName(db, organizationId, 'user_group', names))
      groups.set(name, id)
    const users = matches.flatMap((one) => ('user' in one && one.user ? one.user.id : []))
    if (users.length > 0)
      for (const { user_id, id } of await groupsOfUsers(db, organizationId, users))
        memberships.add(`${user_id} ${id}`)
  }
  return records.map((record, at) => {
    const one = matches[at]!
    const userId = 'user' in one ? one.user?.id : undefined
    const known = record.groups.flatMap((name) => {
      const id = groups.get(name)
      return id === undefined ? [] : { id, name }
    })
    return {
      manager: record.manager === null ? undefined : managers.get(record.manager),
      joins: known.filter(({ id }) => !memberships.has(`${userId} ${id}`)),
      unknownGroups: record.groups.filter((name) => !groups.has(name)),
    }
  })
}
