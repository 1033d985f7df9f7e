import { FIRST_NAMES, LAST_NAMES, type OrganizationPlan, type Place } from './names.ts'
import type { Random } from './random.ts'
import { BROWSERS, type UserAgent } from './useragents.ts'

export interface Person {
  id: string
  firstname: string
  lastname: string
  username: string
  email: string
  department: string
  place: Place
  officeIp: string
  homeIp: string
  deskIp: string
  browser: UserAgent
  /** Uses a second factor in the portal. */
  mfa: boolean
  state: 'STAGED' | 'ACTIVATED' | 'SUSPENDED'
  /** Manager; null for the head of the organization. */
  managerId: string | null
}

export interface Device {
  id: string
  hostname: string
  displayName: string
  os: 'linux' | 'mac' | 'windows'
  owner: Person
}

export interface Application {
  id: string
  /** The template. */
  name: string
  displayLabel: string
  slug: string
  ssoUrl: string
}

export interface Group {
  id: string
  name: string
}

const plain = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/[^a-z]/gi, '')
    .toLowerCase()

/** Assigns people to sites in the order of the plan, by the share of each site. */
function siteOf(plan: OrganizationPlan, at: number) {
  let upTo = 0
  for (const site of plan.sites) {
    upTo += site.share * plan.people
    if (at < upTo) return site
  }
  return plan.sites[0]!
}

/** Some have left, some have not started; the last eight were just imported (see `imported`). */
function stateOf(plan: OrganizationPlan, at: number): Person['state'] {
  if (at === 11 || at === 31) return 'SUSPENDED'
  return (at % 20 === 17 || at % 20 === 19) && at < plan.people - 8 ? 'STAGED' : 'ACTIVATED'
}

/** The first is the head; the first of each department leads it, with a few team leads below. */
function managerOf(plan: OrganizationPlan, at: number): number | null {
  const departments = plan.departments.length
  if (at === 0) return null
  if (at < departments) return 0
  const lead = at % departments
  if (at < departments * 3) return lead
  return lead + departments * (1 + (Math.floor(at / departments) % 2))
}

export function describePeople(plan: OrganizationPlan, random: Random): Person[] {
  const taken = new Set<string>()
  const people: Person[] = Array.from({ length: plan.people }, (_, at) => {
    let firstname: string
    let lastname: string
    let username: string
    do {
      firstname = random.pick(FIRST_NAMES)
      lastname = random.pick(LAST_NAMES)
      username = `${plain(firstname)}.${plain(lastname)}`
    } while (taken.has(username))
    taken.add(username)
    const site = siteOf(plan, at)
    return {
      id: random.id(),
      firstname,
      lastname,
      username,
      email: `${username}@${plan.domain}`,
      department: plan.departments[at % plan.departments.length]!,
      place: site.place,
      officeIp: site.officeIp,
      homeIp: `2001:db8:${random.hex(4).replace(/^0+(?=.)/, '')}::${random.between(2, 99)}`,
      deskIp: `${site.subnet}.${10 + at}`,
      browser: random.pick(BROWSERS),
      mfa: random.chance(0.6),
      state: stateOf(plan, at),
      managerId: null,
    }
  })
  return people.map((person, at) => {
    const manager = managerOf(plan, at)
    return { ...person, managerId: manager === null ? null : people[manager]!.id }
  })
}

const MODELS = {
  linux: ['lnx', 'Workstation'],
  mac: ['mbp', 'MacBook'],
  windows: ['win', 'Notebook'],
} as const

export function describeDevices(plan: OrganizationPlan, staff: Person[], random: Random): Device[] {
  const owners = staff.filter((_, at) => at % Math.floor(plan.people / plan.systems) === 0)
  return owners.slice(0, plan.systems).map((owner, at) => {
    const os = random.pick(['linux', 'mac', 'windows'] as const)
    const [short, model] = MODELS[os]
    return {
      id: random.id(),
      hostname: `${plan.domain.split('.')[0]}-${short}-${String(at + 1).padStart(3, '0')}`,
      displayName: `${owner.firstname}'s ${model}`,
      os,
      owner,
    }
  })
}

export const describeApplications = (
  plan: OrganizationPlan,
  baseUrl: string,
  random: Random,
): Application[] =>
  plan.applications.map((displayLabel) => {
    const words = displayLabel.toLowerCase().replaceAll(' ', '-')
    const slug = `${plan.domain.split('.')[0]}-${words}`
    return {
      id: random.id(),
      name: 'saml2',
      displayLabel,
      slug,
      ssoUrl: `${baseUrl}/saml2/${slug}`,
    }
  })

/** One per department; events name them as user groups. */
export const describeGroups = (plan: OrganizationPlan, random: Random): Group[] =>
  plan.departments.map((name) => ({ id: random.id(), name }))
