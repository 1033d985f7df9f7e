import { fold, type PastEvent } from '../../server/insights/index.ts'
import type { Place } from '../names.ts'
import type { Random } from '../random.ts'

/** Fields that all documents of a service share, as listed in the specification. */
const SHAPES = {
  access_management: { id: 'uuid', version: '1' },
  alert: { id: 'uuid', version: null },
  directory: { id: 'uuid', version: 1 },
  ldap: { id: null, version: 1 },
  mdm: { id: 'hex', version: 1 },
  notifications: { id: 'hex', version: null, unnamed: true },
  object_storage: { id: 'hex', version: 1 },
  password_vault: { id: 'uuid', version: '1' },
  radius: { id: 'uuid', version: 1 },
  reports: { id: 'uuid', version: '1' },
  saas_app_management: { id: 'uuid', version: 1 },
  software: { id: 'hex', version: 1 },
  sso: { id: 'uuid', version: 1 },
  systems: { id: 'hex', version: 1 },
} satisfies Record<string, { id: 'uuid' | 'hex' | null; version: 1 | '1' | null; unnamed?: true }>
type Service = keyof typeof SHAPES

/** An event that has no tenant yet. */
export interface Draft {
  at: number
  service: Service
  type: string
  body: Record<string, unknown>
}

export const HOUR = 3_600_000
export const MINUTE = 60_000

/** One calendar day; `start` is its midnight in UTC. */
export interface Day {
  start: number
  /** Days since the first one. */
  index: number
  workday: boolean
  /** Counts workdays from 1. */
  nthWorkday: number
}

/** The instant when it is `hour` local time on that day. */
export const atLocal = (day: Day, place: Place, hour: number): number =>
  Math.round(day.start + (hour - place.offsetHours) * HOUR)

/** The row as stored. The organization is null for events of the provider itself. */
export function compose(draft: Draft, organization: string | null, random: Random): PastEvent {
  const { at, service, type, body } = draft
  const shape: { id: string | null; version: unknown; unnamed?: true } = SHAPES[service]
  const rowId = random.uuidv7(at)
  const timestamp = new Date(at).toISOString()
  const document = {
    ...(shape.id !== null && { id: shape.id === 'uuid' ? rowId : random.id(at) }),
    event_type: type,
    timestamp,
    ...(!shape.unnamed && { service }),
    organization,
    ...body,
    ...(shape.version !== null && { '@version': shape.version }),
  }
  return { id: rowId, timestamp, service, document: JSON.stringify(fold(document)) }
}
