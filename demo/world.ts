import type { Sealer } from '../server/platform/secrets.ts'
import type { DemoCredentials } from './credentials.ts'
import { ORGANIZATIONS, type OrganizationPlan, PROVIDER } from './names.ts'
import {
  type Application,
  type Device,
  describeApplications,
  describeDevices,
  describeGroups,
  describePeople,
  type Group,
  type Person,
} from './people.ts'
import { Random } from './random.ts'

export const DAYS = 30

/** An administrator as named in events. */
export interface Administrator {
  id: string
  email: string
}

/** An organization with all its data. Ids are fixed by the seed, so events may refer to records seeded later. */
export interface Tenant extends OrganizationPlan {
  staff: Person[]
  devices: Device[]
  apps: Application[]
  groups: Group[]
  /** Administrators of the organization; filled when they are seeded. */
  administrators: Administrator[]
  /** Set if the administrators belong to the provider. */
  providerId: string | null
}

export interface World {
  now: number
  provider: typeof PROVIDER & { administrators: Administrator[] }
  tenants: Tenant[]
  credentials: DemoCredentials
  /** For encrypted columns. */
  sealer: Sealer
  /** Private keys of systems, by the path they are written to. */
  privateKeys: Map<string, string>
}

function describeTenant(plan: OrganizationPlan, baseUrl: string): Tenant {
  const staff = describePeople(plan, new Random(`people of ${plan.id}`))
  return {
    ...plan,
    staff,
    devices: describeDevices(plan, staff, new Random(`devices of ${plan.id}`)),
    apps: describeApplications(plan, baseUrl, new Random(`applications of ${plan.id}`)),
    groups: describeGroups(plan, new Random(`groups of ${plan.id}`)),
    administrators: [],
    providerId: plan.singleTenant ? null : PROVIDER.id,
  }
}

/** The organization that no provider manages. */
export const describeStandalone = (): Tenant =>
  describeTenant(ORGANIZATIONS.find(({ singleTenant }) => singleTenant)!, '')

export const describeWorld = (
  now: number,
  credentials: DemoCredentials,
  sealer: Sealer,
): World => ({
  now,
  provider: { ...PROVIDER, administrators: [] },
  tenants: ORGANIZATIONS.map((plan) => describeTenant(plan, credentials.insightsUrl)),
  credentials,
  sealer,
  privateKeys: new Map(),
})
