import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { startApp } from '../harness.ts'
import { addGroupOf, addUser, type connectLab, member, ok } from './world.ts'

type App = Awaited<ReturnType<typeof startApp>>
type World = Awaited<ReturnType<typeof connectLab>>
type Json = Record<string, unknown>

const STEP_MS = 600_000
/** More than any provider here needs, and less than after which failing accounts are parked. */
const MAX_ROUNDS = 100

/** Lets the delays of provisioning pass without waiting, until the calling test or file is done. */
export function clockOf(app: App) {
  let ahead = 0
  const now = () => Date.now() + ahead
  const context = app.contexts.provisioning
  context.now = now
  after(() => {
    delete context.now
  })
  return {
    now,
    pass(ms: number) {
      ahead += ms
    },
    /** Until nothing is left to do, or the connection has stopped. */
    async settle(world: Pick<World, 'status'>) {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        await app.runDueProvisioning()
        const status = await world.status()
        if (status.status !== 'active' || status.users.waiting + status.groups.waiting === 0)
          return status
        ahead += STEP_MS
      }
      throw new Error(
        `Not at rest after ${MAX_ROUNDS} rounds: ${JSON.stringify(await world.status())}`,
      )
    },
  }
}
type Clock = ReturnType<typeof clockOf>

/** What a provider holds: users by externalId, groups with the externalIds of their members. */
interface Held {
  users: Record<string, Json>
  groups: { name: string; members: string[] }[]
}

interface Stores {
  users: ReadonlyMap<string, Json>
  groups: ReadonlyMap<string, Json>
}

/** Looks into the store of the provider, not at what it replies. */
export function heldBy({ users, groups }: Stores): Held {
  const entries = [...users.values()].map((user): [string, Json] => {
    const { userName, active, title, name, emails } = JSON.parse(JSON.stringify(user))
    const [email] = emails ?? []
    const shown = { userName, active, title, family: name?.familyName, email: email?.value }
    return [String(user.externalId), shown]
  })
  assert.equal(new Set(entries.map(([id]) => id)).size, entries.length, 'duplicates')
  const ownerOf = (id: string) => String(users.get(id)?.externalId ?? `unknown ${id}`)
  return {
    users: Object.fromEntries(entries),
    groups: [...groups.values()]
      .map(({ displayName, members = [] }) => ({
        name: String(displayName),
        // A set: SCIMMY lists a member twice who was added again after a lost reply.
        members: [
          ...new Set((members as { value: string }[]).map(({ value }) => ownerOf(value))),
        ].sort(),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

/**
 * A group of people is bound, changes in every way, is unbound and bound again. Returns what the provider should hold in
 * the end; accounts that should be inactive are listed apart, since some providers remove them.
 */
export async function journey(world: World, clock: Clock, size = 12) {
  const { org } = world
  const people: { id: string; username: string; title: string; family: string; email: string }[] =
    []
  for (let at = 0; at < size; at++) {
    const [title, family] = [`Title ${at}`, `Family ${at}`]
    const user = await addUser(org, { jobTitle: title, firstname: 'Some', lastname: family })
    people.push({ ...user, title, family, email: `${user.username}@example.com` })
  }
  const put = async (id: string, body: object) => ok(await org.put(`/api/systemusers/${id}`, body))
  const group = await addGroupOf(
    org,
    people.map(({ id }) => id),
    'Before',
  )
  await world.bind('user_group', group)
  await clock.settle(world)

  const [renamed, promoted, suspended, removed, deleted] = people
  renamed!.username = `renamed.${renamed!.username}`
  await put(renamed!.id, { username: renamed!.username })
  promoted!.title = 'Promoted'
  await put(promoted!.id, { jobTitle: 'Promoted' })
  await put(suspended!.id, { suspended: true })
  await member(org, group, removed!.id, 'remove')
  await clock.settle(world)

  ok(await org.put(`/api/v2/usergroups/${group}`, { name: 'After' }))
  ok(await org.delete(`/api/systemusers/${deleted!.id}`))
  await clock.settle(world)

  await world.bind('user_group', group, 'remove')
  await clock.settle(world)
  await world.bind('user_group', group)
  const status = await clock.settle(world)

  const out = [suspended!, removed!, deleted!]
  const shown = ({ username, title, family, email }: (typeof people)[0], active: boolean) => ({
    userName: username,
    active,
    title,
    family,
    email,
  })
  const present = people.filter((person) => !out.includes(person))
  return {
    status,
    present: Object.fromEntries(present.map((person) => [person.id, shown(person, true)])),
    inactive: Object.fromEntries(out.map((person) => [person.id, shown(person, false)])),
    groups: [{ name: 'After', members: present.map(({ id }) => id).sort() }],
  }
}
