import type { Caller } from '../platform/caller.ts'
import { forbidden, invalid } from '../platform/errors.ts'

/** Supported report types, and the scopes of the records they show. */
const NEEDS = {
  'os-version': ['systems'],
  'user-account-health': ['users'],
  'users-to-devices': ['users', 'systems'],
  'users-to-directories': ['users', 'directories'],
  'users-to-sso-applications': ['users', 'applications'],
  'users-to-user-groups': ['users', 'groups'],
} as const
export type ReportType = keyof typeof NEEDS
export const REPORT_TYPES = Object.keys(NEEDS) as ReportType[]

/** Published types whose data this service does not have. */
const WITHOUT_DATA = [
  'browser-patch-policy',
  'os-patch-policy',
  'software-inventory',
  'users-to-ldap-servers',
  'users-to-radius-servers',
]
/** The published API spells one type differently in lists and requests. */
const ALIASES = new Map<string, ReportType>([['users-account-health', 'user-account-health']])

export function readReportType(name: string): ReportType {
  const folded = name.toLowerCase()
  const type = REPORT_TYPES.find((known) => known === (ALIASES.get(folded) ?? folded))
  if (type) return type
  const why = WITHOUT_DATA.includes(folded)
    ? `report_type: this service has no data for ${folded}`
    : `report_type: unknown type "${name}"`
  throw invalid('unknown_report_type', `${why}; must be one of ${REPORT_TYPES.join(', ')}`)
}

/** A report must not bypass the scopes of the records it shows. */
export function checkMayRead({ scopes }: Pick<Caller, 'scopes'>, type: ReportType): void {
  for (const area of NEEDS[type]) {
    if (scopes.has(area) || scopes.has(`${area}.readonly`)) continue
    const wanted = `${area}, ${area}.readonly`
    throw forbidden(
      'scope_missing',
      `Forbidden: a report of this type requires one of these scopes: ${wanted}`,
    )
  }
}
