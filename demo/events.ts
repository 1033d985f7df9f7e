import { insertPastEvents } from '../server/insights/index.ts'
import type { Tx } from '../server/platform/db/index.ts'
import { administration, type Desk } from './events/administration.ts'
import { quietDevices } from './events/alerts.ts'
import { compose, type Day, type Draft } from './events/draft.ts'
import { incidents } from './events/incidents.ts'
import { ldap } from './events/ldap.ts'
import { machines } from './events/machines.ts'
import { portal } from './events/portal.ts'
import { signIns } from './events/sign-ins.ts'
import { Random } from './random.ts'
import { actAs } from './tenancy.ts'
import { DAYS, type Tenant, type World } from './world.ts'

const DAY = 86_400_000
const BATCH = 1000

/** The days that overlap the month before `now`; events outside it are dropped later. */
function days(now: number): Day[] {
  const first = Math.floor(now / DAY) - DAYS
  let workdays = 0
  return Array.from({ length: DAYS + 1 }, (_, index) => {
    const start = (first + index) * DAY
    const weekday = new Date(start).getUTCDay()
    const workday = weekday > 0 && weekday < 6
    if (workday) workdays++
    return { start, index, workday, nthWorkday: workdays }
  })
}

/** Customers are administered from the provider's office. */
const desksOf = (world: World, tenant: Tenant): Desk[] =>
  tenant.administrators.map((admin) =>
    tenant.providerId
      ? { admin, ...world.provider, ip: world.provider.officeIp, providerId: tenant.providerId }
      : {
          admin,
          place: tenant.sites[0]!.place,
          ip: tenant.sites[0]!.officeIp,
          providerId: null,
        },
  )

function monthOf(world: World, tenant: Tenant): Draft[] {
  const desks = desksOf(world, tenant)
  // One generator per kind of event: a new kind does not change the others.
  const draw = (kind: string) => new Random(`${kind} of ${tenant.id}`)
  const kinds = [
    [signIns, draw('sign-ins')],
    [machines, draw('machines')],
    [ldap, draw('ldap')],
    [quietDevices, draw('alerts')],
  ] as const
  const office = draw('administration')
  const surprises = draw('incidents')
  return days(world.now).flatMap((day) => [
    ...kinds.flatMap(([kind, random]) => kind(tenant, day, random)),
    ...administration(tenant, desks, day, office),
    ...(tenant.singleTenant ? incidents(tenant, desks, day, surprises) : []),
  ])
}

function monthOfProvider(world: World): Draft[] {
  const managed = world.tenants.filter(({ providerId }) => providerId !== null)
  const random = new Random(`portal of ${world.provider.id}`)
  return days(world.now).flatMap((day) => portal(world, managed, day, random))
}

async function write(
  tx: Tx,
  now: number,
  tenantId: string,
  organization: string | null,
  drafts: Draft[],
): Promise<number> {
  const random = new Random(`ids of ${tenantId}`)
  const events = drafts
    .filter(({ at }) => at > now - DAYS * DAY && at <= now)
    .sort((a, b) => a.at - b.at)
    .map((draft) => compose(draft, organization, random))
  await actAs(tx, tenantId)
  for (let at = 0; at < events.length; at += BATCH)
    await insertPastEvents(tx, tenantId, events.slice(at, at + BATCH))
  return events.length
}

/** A month of ordinary work, with a few incidents worth finding. */
export async function seedEvents(tx: Tx, world: World): Promise<string> {
  const { now, provider } = world
  let total = await write(tx, now, provider.id, null, monthOfProvider(world))
  for (const tenant of world.tenants)
    total += await write(tx, now, tenant.id, tenant.id, monthOf(world, tenant))
  return `Events: ${total} over ${DAYS} days`
}
