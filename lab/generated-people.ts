import { FIRST_NAMES, LAST_NAMES } from '../demo/names.ts'

/** A record as HR systems send it. */
export interface SourcePerson {
  id: string
  firstName: string
  lastName: string
  email: string
  username: string
  title: string
  department: string
  location: { city: string; country: string }
  /** The id of another person, who may come later in the list; null for the head. */
  managerId: string | null
  status: 'active' | 'leave' | 'terminated'
  groups: string[]
  startDate: string
}

const DEPARTMENTS = ['Engineering', 'Sales', 'Finance', 'Support', 'People', 'Legal']
const TITLES = ['Engineer', 'Account Manager', 'Controller', 'Specialist', 'Partner', 'Counsel']
const PLACES = [
  { city: 'Lyon', country: 'FR' },
  { city: 'Bristol', country: 'GB' },
  { city: 'Portland', country: 'US' },
  { city: 'Bengaluru', country: 'IN' },
]
const DAY_MS = 86_400_000

const pick = <T>(from: readonly T[], at: number): T => from[at % from.length]!
const idOf = (at: number): string => `P${String(at + 1).padStart(6, '0')}`

/** A quarter of the managers come after the people they manage. Never in a circle: those have a manager before both. */
function managerOf(at: number, count: number): string | null {
  if (at === 0) return null
  const lead = Math.floor(at / 10)
  const later = at + 1 + lead
  return idOf(at % 2 === 1 && later % 2 === 0 && later < count ? later : lead)
}

function statusOf(at: number): SourcePerson['status'] {
  if (at % 50 === 49) return 'terminated'
  return at % 33 === 32 ? 'leave' : 'active'
}

/** The same number always gives the same people; no two share an id, e-mail or username. */
export function generatePeople(count: number): SourcePerson[] {
  return Array.from({ length: count }, (_, at) => {
    const firstName = pick(FIRST_NAMES, at * 7)
    const lastName = pick(LAST_NAMES, at * 3 + Math.floor(at / LAST_NAMES.length))
    const username = `${firstName}.${lastName}${at + 1}`.toLowerCase()
    const department = pick(DEPARTMENTS, at)
    return {
      id: idOf(at),
      firstName,
      lastName,
      email: `${username}@people.example`,
      username,
      title: pick(TITLES, at),
      department,
      location: pick(PLACES, at),
      managerId: managerOf(at, count),
      status: statusOf(at),
      groups: at % 10 === 0 ? [department, 'Leads'] : [department],
      startDate: new Date(Date.UTC(2015, 0, 1) + (at % 3650) * DAY_MS).toISOString().slice(0, 10),
    }
  })
}
