import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../server/platform/ids.ts'
import { rounds, seeds } from '../effort.ts'
import { startApp } from '../harness.ts'
import { mulberry32 } from '../insights/random.ts'
import { clockOf } from './journey.ts'
import { addGroupOf, addUser, connectLab, type Lab, ok, startLab } from './world.ts'

// Whatever happens, in whatever order: once it is quiet, the provider holds what the directory says.

const app = await startApp()
const clock = clockOf(app)

const OPERATIONS = rounds(90)
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

type World = Awaited<ReturnType<typeof connectLab>>
type Json = Record<string, unknown>
interface User {
  id: string
  username: string
  state: string
  jobTitle: string
  costCenter: string
  manager: string | null
}

/** What the provider should hold, from the public API alone. */
async function desiredOf({ org, id }: World, mapping: number, special: string) {
  const idsOf = async (url: string): Promise<string[]> =>
    ok(await org.get(url))
      .json()
      .map(({ to }: { to: { id: string } }) => to.id)
  const users: User[] = ok(await org.get('/api/systemusers?limit=100')).json().results
  const groups: { id: string; name: string }[] = ok(
    await org.get('/api/v2/usergroups?limit=100'),
  ).json()
  const associations = `/api/v2/applications/${id}/associations?limit=100&targets=`
  const boundGroups = new Set(await idsOf(`${associations}user_group`))
  const bound = new Set(await idsOf(`${associations}user`))
  const members = new Map<string, string[]>()
  for (const group of groups) {
    members.set(group.id, await idsOf(`/api/v2/usergroups/${group.id}/members?limit=100`))
    if (boundGroups.has(group.id)) for (const one of members.get(group.id)!) bound.add(one)
  }
  const present = users.filter(({ id, state }) => state === 'ACTIVATED' && bound.has(id))
  const isPresent = (id: string) => present.some((user) => user.id === id)
  const inSpecial = new Set(members.get(special))
  return {
    users: new Map(
      present.map(({ id, username, jobTitle, costCenter, manager }) => [
        id,
        {
          userName: username,
          active: true,
          title: mapping === 1 ? jobTitle.toUpperCase() : jobTitle,
          costCenter: (mapping === 0 && costCenter) || undefined,
          manager: mapping === 0 && manager && isPresent(manager) ? manager : undefined,
          department: mapping === 2 ? (inSpecial.has(id) ? 'in' : 'out') : undefined,
        },
      ]),
    ),
    groups: groups
      .filter(({ id }) => boundGroups.has(id))
      .map(({ id, name }) => ({
        id,
        name,
        members: members.get(id)!.filter(isPresent).sort(),
      })),
    groupIds: new Set(groups.map(({ id }) => id)),
  }
}

/** Compares the store of the provider with it. */
function assertHolds(lab: Lab, desired: Awaited<ReturnType<typeof desiredOf>>, words: string) {
  const ownerOf = (id: unknown) => lab.store.users.get(String(id))?.externalId
  const remotes = [...lab.store.users.values()]
  assert.equal(new Set(remotes.map(({ externalId }) => externalId)).size, remotes.length, words)
  const active = remotes.filter(({ active }) => active !== false)
  const shown = active.map(({ externalId, userName, active, title, ...rest }): [string, Json] => {
    const { manager, department, costCenter } = (rest[ENTERPRISE] ?? {}) as Json
    const owner = ownerOf((manager as Json | undefined)?.value)
    return [String(externalId), { userName, active, title, costCenter, manager: owner, department }]
  })
  const sorted = (entries: Iterable<[string, Json]>) =>
    [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
  assert.deepEqual(sorted(shown), sorted(desired.users), words)

  const groups = new Map(
    [...lab.store.groups.values()].map(({ externalId, displayName, members = [] }) => [
      String(externalId),
      {
        name: displayName,
        members: (members as Json[]).map(({ value }) => String(ownerOf(value))).sort(),
      },
    ]),
  )
  for (const id of groups.keys()) assert.ok(desired.groupIds.has(id), `${words}: a deleted group`)
  // A group is created with its first member.
  for (const { id, name, members } of desired.groups)
    if (members.length > 0 || groups.has(id))
      assert.deepEqual(groups.get(id), { name, members }, words)
}

for (const seed of seeds(4))
  test(`seed ${seed}: after quiet, the provider holds what the directory says`, async (t) => {
    const random = mulberry32(seed)
    const below = (limit: number) => Math.floor(random() * limit)
    const pick = <T>(list: readonly T[]): T => list[below(list.length)]!
    const lab = await startLab({ now: clock.now })
    const world = await connectLab(app, lab, {
      groups: { push: true },
      removalLimit: { users: null, percent: null },
    })
    const { org, path } = world
    const users: string[] = []
    for (let at = 0; at < 12; at++) users.push((await addUser(org, { jobTitle: `Title ${at}` })).id)
    const groups: string[] = []
    for (let at = 0; at < 4; at++) groups.push(await addGroupOf(org, users.slice(at, at * 2)))
    const special = groups[0]!
    const userName = { target: 'userName', value: { source: 'username' } }
    const title = { target: 'title', value: { source: 'jobTitle' } }
    const mappings = [
      [
        userName,
        title,
        { target: `${ENTERPRISE}:costCenter`, value: { source: 'costCenter' } },
        { target: `${ENTERPRISE}:manager.value`, value: { source: 'managerAccount.remoteId' } },
      ],
      [userName, { target: 'title', value: { upper: { source: 'jobTitle' } } }],
      [
        userName,
        title,
        {
          target: `${ENTERPRISE}:department`,
          value: { groups: [{ group: special, value: 'in' }] },
          default: 'out',
        },
      ],
    ]
    let mapping = 0
    const putMapping = async () =>
      ok(await org.put(path, { ...world.body, mapping: mappings[mapping] }))
    await putMapping()

    const log: string[] = []
    /** A change may be refused as impossible, such as to remove somebody who is not there. */
    const tell = async (call: Promise<{ statusCode: number; body: string }>, words: string) => {
      const { statusCode, body } = await call
      assert.ok(statusCode < 500, body)
      log.push(`${words} ${statusCode}`)
    }
    const change = (id: string, body: object) =>
      tell(org.put(`/api/systemusers/${id}`, body), `user ${id} ${JSON.stringify(body)}`)
    const associate = (op: string, type: string, id: string) =>
      tell(
        org.post(`/api/v2/applications/${world.id}/associations`, { op, type, id }),
        `${op} ${type} ${id}`,
      )
    const membership = (op: string, group: string, id: string) =>
      tell(
        org.post(`/api/v2/usergroups/${group}/members`, { op, type: 'user', id }),
        `${op} member ${group} ${id}`,
      )
    const remote = () => pick([...lab.store.users.keys()])
    const run = async () => {
      log.push('run')
      await app.runDueProvisioning()
      clock.pass(below(600_000))
    }
    const operations: (() => Promise<unknown>)[] = [
      () => associate('add', 'user', pick(users)),
      () => associate('remove', 'user', pick(users)),
      () => associate('add', 'user_group', pick(groups)),
      () => associate('add', 'user_group', pick(groups)),
      () => associate('remove', 'user_group', pick(groups)),
      () => membership('add', pick(groups), pick(users)),
      () => membership('add', pick(groups), pick(users)),
      () => membership('remove', pick(groups), pick(users)),
      () => change(pick(users), { suspended: true }),
      () => change(pick(users), { suspended: false }),
      () => change(pick(users), { suspended: false }),
      () => change(pick(users), { username: `r.${newId()}` }),
      () => change(pick(users), { jobTitle: `Title ${below(1000)}` }),
      () => change(pick(users), { costCenter: random() < 0.3 ? '' : `Cost ${below(1000)}` }),
      () => change(pick(users), { manager: pick(users) }),
      () => tell(org.delete(`/api/systemusers/${pick(users)}`), 'delete user'),
      () => tell(org.post(`/api/systemusers/${pick(users)}/restore`), 'restore user'),
      () => tell(org.post(`/api/systemusers/${pick(users)}/restore`), 'restore user'),
      async () => users.push((await addUser(org, { jobTitle: 'New' })).id),
      () => tell(org.put(`/api/v2/usergroups/${pick(groups)}`, { name: newId() }), 'rename group'),
      async () => {
        if (random() < 0.3)
          await tell(org.delete(`/api/v2/usergroups/${pick(groups)}`), 'delete group')
        groups.push(await addGroupOf(org, []))
      },
      async () => {
        mapping = below(mappings.length)
        log.push(`mapping ${mapping}`)
        await putMapping()
      },
      async () => {
        if (lab.store.users.size === 0) return
        const id = remote()
        const active = random() < 0.5
        log.push(`edit ${id} at the provider, active ${active}`)
        lab.store.editByHand('Users', id, { title: 'By hand', active })
      },
      async () => {
        if (lab.store.users.size === 0) return
        const id = remote()
        log.push(`delete ${id} at the provider`)
        lab.store.removeByHand('Users', id)
      },
      run,
      run,
      run,
    ]
    lab.faults.set({ failRate: 0.15, status: 500, cutBefore: true, cutAfter: true, burst: 2, seed })
    try {
      for (let at = 0; at < OPERATIONS; at++) await pick(operations)()
      const status = await clock.settle(world)
      assert.equal(status.status, 'active', status.statusReason)
      // The comparison may fail, as anything else, and is then asked for again.
      for (let clean = false, tries = 0; !clean; tries++) {
        assert.ok(tries < 30, 'a comparison without differences')
        ok(await org.post(`${path}/reconcile`, { mode: 'repair' }), 202)
        const { reconciliation } = await clock.settle(world)
        clean = reconciliation.missing + reconciliation.changed === 0
      }
      const { users: counts, groups: pushed } = await world.status()
      assert.equal(counts.parked + pushed.parked, 0, 'nothing is parked')
      const desired = await desiredOf(world, mapping, special)
      t.diagnostic(`${desired.users.size} users and ${desired.groups.length} groups`)
      assertHolds(lab, desired, `seed ${seed}`)
    } catch (error) {
      for (const line of log) t.diagnostic(line)
      throw error
    }
    ok(await org.post(`${path}/deactivate`))
  })
