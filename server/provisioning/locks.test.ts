import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilBlocked } from '../../test/blocked.ts'
import { startApp } from '../../test/harness.ts'
import { addUser, connectLab, ok, startLab } from '../../test/provisioning/world.ts'
import { sql } from '../platform/db/sql.ts'

const app = await startApp()

/** Two users with accounts, in the order in which rows are locked; the first reports to the second. */
async function managed() {
  const world = await connectLab(app, await startLab())
  const users = [await addUser(world.org), await addUser(world.org)]
  const [first, second] = users.map(({ id }) => id).sort() as [string, string]
  ok(await world.org.put(`/api/systemusers/${first}`, { manager: second }))
  // Due in the opposite order.
  await world.bind('user', second)
  await world.bind('user', first)
  return { ...world, first, second }
}

/** While another transaction has the first row, whoever needs both waits without the second one. */
async function assertWaits(
  { org: { organizationId }, first, second }: Awaited<ReturnType<typeof managed>>,
  work: () => Promise<unknown>,
): Promise<void> {
  const { working, free } = await app.db.tx(organizationId, async (tx) => {
    await tx.run(sql`select 1 from provisioning_users where user_id = ${first} for update`)
    const working = work()
    await untilBlocked(app.db, tx)
    const free = await app.db.tx(organizationId, (other) =>
      other.many<{ user_id: string }>(sql`
        select user_id from provisioning_users
         where organization_id = ${organizationId} for update skip locked`),
    )
    return { working, free }
  })
  await working
  assert.deepEqual(
    free.map(({ user_id }) => user_id),
    [second],
  )
}

test('a worker that saves its results locks rows in order', async () => {
  const world = await managed()
  await assertWaits(world, () => app.runDueProvisioning())
})

test('a change of a manager, whose reports are compared as well, locks rows in order', async () => {
  const world = await managed()
  await app.runDueProvisioning()
  await assertWaits(world, () =>
    world.org.put(`/api/systemusers/${world.second}`, { lastname: 'Stone' }),
  )
  // Also before it writes what has changed.
  await world.org.put(`/api/systemusers/${world.first}`, { lastname: 'Wood' })
  await assertWaits(world, () => app.runDueProvisioning())
})
